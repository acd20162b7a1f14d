import type { PageQuery } from '../../../domain/page.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { PasswordExchange, Session, SessionsInUse } from '../../../ports/account-store.js';
import type { Connection } from '../engine/connection.js';

interface SessionRow {
  digest: string;
  id: string;
  user_id: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  ip: string | null;
  user_agent: string | null;
}

/** Stores a session if the user has that password, and deletes the user's expired sessions. */
export function insertSession(connection: Connection, session: Session, passwordHash: string | undefined): boolean {
  if (!hasPassword(connection, session.userId, passwordHash)) return false;
  storeSession(connection, session);
  return true;
}

/** Stores a session, and deletes the user's expired sessions. */
export function storeSession(connection: Connection, session: Session): void {
  const { digest, id, userId, createdAt, lastUsedAt, expiresAt, ip, userAgent } = session;
  connection.run('DELETE FROM sessions WHERE user_id = ? AND expires_at <= ?', userId, createdAt);
  connection.run(
    `INSERT INTO sessions (digest, id, user_id, created_at, last_used_at, expires_at, ip, user_agent)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    digest,
    id,
    userId,
    createdAt,
    lastUsedAt,
    expiresAt,
    ip ?? null,
    userAgent ?? null,
  );
}

export function findSession(connection: Connection, digest: string): Session | undefined {
  const row = connection.get<SessionRow>('SELECT * FROM sessions WHERE digest = ?', digest);
  return row && toSession(row);
}

export function listSessions(
  connection: Connection,
  userId: string,
  { now, usedAfter, after, limit }: PageQuery & SessionsInUse,
): Session[] {
  const { at, id } = after ?? { at: Number.MIN_SAFE_INTEGER, id: '' };
  const sql = `SELECT * FROM sessions WHERE user_id = ? AND (created_at, id) > (?, ?)
    AND expires_at > ? AND last_used_at > ? ORDER BY created_at, id LIMIT +?`;
  return connection.all<SessionRow>(sql, userId, at, id, now, usedAfter, limit).map(toSession);
}

export function touchSession(connection: Connection, digest: string, at: Microseconds): void {
  connection.run('UPDATE sessions SET last_used_at = ? WHERE digest = ?', at, digest);
}

export function deleteSession(connection: Connection, digest: string): void {
  connection.run('DELETE FROM sessions WHERE digest = ?', digest);
}

export function deleteSessionOf(connection: Connection, userId: string, sessionId: string): boolean {
  return connection.run('DELETE FROM sessions WHERE user_id = ? AND id = ?', userId, sessionId).changes > 0;
}

/** Deletes at most `limit` sessions that ended before a time, and returns their number. */
export function deleteEndedSessions(connection: Connection, before: Microseconds, limit: number): number {
  const sql = `DELETE FROM sessions WHERE digest IN
    (SELECT digest FROM sessions WHERE expires_at < ? ORDER BY expires_at LIMIT +?)`;
  return connection.run(sql, before, limit).changes;
}

export function exchangePassword(
  connection: Connection,
  userId: string,
  { from, to }: PasswordExchange,
  keptDigest: string,
): boolean {
  if (!hasPassword(connection, userId, from)) return false;
  replacePassword(connection, userId, to, keptDigest);
  return true;
}

/** Replaces the password, ends all sessions of the user but one, and voids their sign-in links. */
export function replacePassword(connection: Connection, userId: string, hash: string, keptDigest = ''): void {
  connection.run('UPDATE users SET password_hash = ? WHERE id = ?', hash, userId);
  connection.run('DELETE FROM sessions WHERE user_id = ? AND digest <> ?', userId, keptDigest);
  connection.run('DELETE FROM sign_in_links WHERE user_id = ?', userId);
}

function hasPassword(connection: Connection, userId: string, hash: string | undefined): boolean {
  const sql = 'SELECT id FROM users WHERE id = ? AND password_hash IS ?';
  return connection.get<{ id: string }>(sql, userId, hash ?? null) !== undefined;
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    digest: row.digest,
    userId: row.user_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    ...(row.ip !== null && { ip: row.ip }),
    ...(row.user_agent !== null && { userAgent: row.user_agent }),
  };
}
