import type { Microseconds } from '../../domain/memory.js';
import type { Session } from '../../ports/account-store.js';
import type { Connection } from './connection.js';

interface SessionRow {
  digest: string;
  id: string;
  user_id: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
}

/** Stores a session in the place of those of its user that have expired. */
export function insertSession(connection: Connection, session: Session): void {
  const { digest, id, userId, createdAt, lastUsedAt, expiresAt } = session;
  connection.run('DELETE FROM sessions WHERE user_id = ? AND expires_at <= ?', userId, createdAt);
  connection.run(
    'INSERT INTO sessions (digest, id, user_id, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
    digest,
    id,
    userId,
    createdAt,
    lastUsedAt,
    expiresAt,
  );
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

export function replacePassword(connection: Connection, userId: string, hash: string, keptDigest: string): void {
  connection.run('UPDATE users SET password_hash = ? WHERE id = ?', hash, userId);
  connection.run('DELETE FROM sessions WHERE user_id = ? AND digest <> ?', userId, keptDigest);
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
