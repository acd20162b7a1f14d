import type { Microseconds } from '../../../domain/timestamp.js';
import type { PasswordExchange, Session } from '../../../ports/account-store.js';
import type { Connection } from '../engine/connection.js';

interface SessionRow {
  digest: string;
  id: string;
  user_id: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
}

/** Stores a session if the user has that password, and deletes the user's expired sessions. */
export function insertSession(connection: Connection, session: Session, passwordHash: string | undefined): boolean {
  const { digest, id, userId, createdAt, lastUsedAt, expiresAt } = session;
  connection.run('DELETE FROM sessions WHERE user_id = ? AND expires_at <= ?', userId, createdAt);
  const { changes } = connection.run(
    `INSERT INTO sessions (digest, id, user_id, created_at, last_used_at, expires_at)
       SELECT ?, ?, id, ?, ?, ? FROM users WHERE id = ? AND password_hash IS ?`,
    digest,
    id,
    createdAt,
    lastUsedAt,
    expiresAt,
    userId,
    passwordHash ?? null,
  );
  return changes === 1;
}

export function findSession(connection: Connection, digest: string): Session | undefined {
  const row = connection.get<SessionRow>('SELECT * FROM sessions WHERE digest = ?', digest);
  return row && toSession(row);
}

export function touchSession(connection: Connection, digest: string, at: Microseconds): void {
  connection.run('UPDATE sessions SET last_used_at = ? WHERE digest = ?', at, digest);
}

export function deleteSession(connection: Connection, digest: string): void {
  connection.run('DELETE FROM sessions WHERE digest = ?', digest);
}

export function exchangePassword(
  connection: Connection,
  userId: string,
  { from, to }: PasswordExchange,
  keptDigest: string,
): boolean {
  const sql = 'UPDATE users SET password_hash = ? WHERE id = ? AND password_hash IS ?';
  if (connection.run(sql, to, userId, from ?? null).changes === 0) return false;
  connection.run('DELETE FROM sessions WHERE user_id = ? AND digest <> ?', userId, keptDigest);
  return true;
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    digest: row.digest,
    userId: row.user_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}
