import type { Microseconds } from '../../../domain/timestamp.js';
import type { Redemption, SignInLink } from '../../../ports/sign-in-link-store.js';
import type { Connection } from '../engine/connection.js';
import { replaceSignInPlaces } from './member-rows.js';
import { replacePassword, storeSession } from './session-rows.js';

interface SignInLinkRow {
  digest: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  sets_password: number;
}

export function insertSignInLink(connection: Connection, link: SignInLink, mostOfPassword: number): boolean {
  const { digest, userId, createdAt, expiresAt, setsPassword } = link;
  connection.run('DELETE FROM sign_in_links WHERE user_id = ? AND expires_at <= ?', userId, createdAt);
  const { changes } = connection.run(
    `INSERT INTO sign_in_links (digest, user_id, created_at, expires_at, sets_password) SELECT ?, ?, ?, ?, ?
       WHERE (SELECT count(*) FROM sign_in_links WHERE user_id = ? AND sets_password = 1) < ?`,
    digest,
    userId,
    createdAt,
    expiresAt,
    Number(setsPassword),
    userId,
    mostOfPassword,
  );
  return changes === 1;
}

export function findSignInLink(connection: Connection, digest: string): SignInLink | undefined {
  const row = connection.get<SignInLinkRow>('SELECT * FROM sign_in_links WHERE digest = ?', digest);
  return row && toLink(row);
}

export function redeemSignInLink(
  connection: Connection,
  digest: string,
  { session, signInPlaces, passwordHash }: Redemption,
): boolean {
  const { userId, createdAt } = session;
  const { changes } = connection.run(
    'DELETE FROM sign_in_links WHERE digest = ? AND user_id = ? AND expires_at > ? AND sets_password >= ?',
    digest,
    userId,
    createdAt,
    Number(passwordHash !== undefined),
  );
  if (changes === 0) return false;
  if (passwordHash !== undefined) replacePassword(connection, userId, passwordHash);
  storeSession(connection, session);
  replaceSignInPlaces(connection, userId, signInPlaces);
  return true;
}

/** Deletes at most `limit` links that ended before a time, and returns their number. */
export function deleteEndedLinks(connection: Connection, before: Microseconds, limit: number): number {
  const sql = `DELETE FROM sign_in_links WHERE digest IN
    (SELECT digest FROM sign_in_links WHERE expires_at < ? ORDER BY expires_at LIMIT +?)`;
  return connection.run(sql, before, limit).changes;
}

function toLink(row: SignInLinkRow): SignInLink {
  return {
    digest: row.digest,
    userId: row.user_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    setsPassword: row.sets_password === 1,
  };
}
