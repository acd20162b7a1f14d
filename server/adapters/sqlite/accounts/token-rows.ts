import type { Microseconds } from '../../../domain/timestamp.js';
import type { ApiToken, TokenQuery } from '../../../ports/account-store.js';
import type { Connection } from '../engine/connection.js';
import { allOf, condition } from '../engine/statements/sql.js';

interface TokenRow {
  id: string;
  organization_id: string;
  user_id: string;
  name: string;
  digest: string;
  prefix: string;
  last_four: string;
  abilities: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  revoked_by: string | null;
  last_used_at: number | null;
}

const SELECT = 'SELECT t.*, o.id AS organization_id FROM api_tokens t JOIN current_organizations o ON o.key = t.org';

const SELECT_BY_DIGEST = `${SELECT} WHERE t.digest = ?`;

export function insertToken(connection: Connection, org: number, token: ApiToken): void {
  connection.run(
    `INSERT INTO api_tokens
       (id, org, user_id, name, digest, prefix, last_four, abilities, created_at, expires_at, revoked_at, revoked_by,
        last_used_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    token.id,
    org,
    token.userId,
    token.name,
    token.digest,
    token.prefix,
    token.lastFour,
    JSON.stringify(token.abilities),
    token.createdAt,
    token.expiresAt ?? null,
    token.revokedAt ?? null,
    token.revokedBy ?? null,
    token.lastUsedAt ?? null,
  );
}

export function findTokenByDigest(connection: Connection, digest: string): ApiToken | undefined {
  return optional(connection.get<TokenRow>(SELECT_BY_DIGEST, digest));
}

export function findToken(connection: Connection, org: number, id: string): ApiToken | undefined {
  return optional(connection.get<TokenRow>(`${SELECT} WHERE t.id = ? AND t.org = ?`, id, org));
}

export function findTokens(connection: Connection, org: number, ids: readonly string[]): ApiToken[] {
  const sql = `${SELECT} WHERE t.id IN (SELECT value FROM json_each(?)) AND t.org = ?`;
  return connection.all<TokenRow>(sql, JSON.stringify(ids), org).map(toToken);
}

export function listTokens(
  connection: Connection,
  org: number,
  { userId, includeRevoked = false, after, limit }: TokenQuery,
): ApiToken[] {
  const conditions = [condition('t.org = ?', org)];
  if (!includeRevoked) conditions.push(condition('t.revoked_at IS NULL'));
  if (userId !== undefined) conditions.push(condition('t.user_id = ?', userId));
  if (after) conditions.push(condition('(t.created_at, t.id) > (?, ?)', after.at, after.id));
  const where = allOf(conditions);
  const sql = `${SELECT} WHERE ${where.text} ORDER BY t.created_at, t.id LIMIT +?`;
  return connection.all<TokenRow>(sql, ...where.parameters, limit).map(toToken);
}

export function countLiveTokens(connection: Connection, org: number, userId: string, at: Microseconds): number {
  const sql = `SELECT count(*) AS live FROM api_tokens
    WHERE org = ? AND user_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`;
  return connection.get<{ live: number }>(sql, org, userId, at)?.live ?? 0;
}

export function touchToken(connection: Connection, id: string, at: Microseconds): void {
  connection.run('UPDATE api_tokens SET last_used_at = ? WHERE id = ?', at, id);
}

/** When a token was revoked, and by which user. */
interface Revocation {
  at: Microseconds;
  by: string | undefined;
}

export function revokeToken(connection: Connection, org: number, id: string, { at, by }: Revocation): void {
  const sql = 'UPDATE api_tokens SET revoked_at = ?, revoked_by = ? WHERE id = ? AND org = ? AND revoked_at IS NULL';
  connection.run(sql, at, by ?? null, id, org);
}

export function revokeTokensOf(connection: Connection, org: number, userId: string, { at, by }: Revocation): void {
  const sql = `UPDATE api_tokens SET revoked_at = ?, revoked_by = ?
    WHERE org = ? AND user_id = ? AND revoked_at IS NULL`;
  connection.run(sql, at, by ?? null, org, userId);
}

function optional(row: TokenRow | undefined): ApiToken | undefined {
  return row && toToken(row);
}

function toToken(row: TokenRow): ApiToken {
  return {
    id: row.id,
    organizationId: row.organization_id,
    userId: row.user_id,
    name: row.name,
    digest: row.digest,
    prefix: row.prefix,
    lastFour: row.last_four,
    abilities: JSON.parse(row.abilities) as string[],
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
    ...(row.revoked_by !== null && { revokedBy: row.revoked_by }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  };
}
