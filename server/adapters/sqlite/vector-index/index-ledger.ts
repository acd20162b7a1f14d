import { randomUUID } from 'node:crypto';
import type { Connection } from '../engine/connection.js';
import type { SavedIndexLedger } from './saved-indexes.js';

/** Stores which index files belong to this database. A restored backup knows only the files of its time. */
export function indexLedger(
  reader: Connection,
  writing: Connection,
  transact: (work: () => Promise<unknown>) => Promise<unknown>,
): SavedIndexLedger {
  return {
    read: (org) => {
      const sql = `SELECT o.id AS organizationId, o.clock, f.token FROM organizations o
        LEFT JOIN index_files f ON f.org = o.key WHERE o.key = ?`;
      const row = reader.get<{ organizationId: string; clock: number; token: string | null }>(sql, org);
      return row && { ...row, token: row.token ?? undefined };
    },
    organizations: () =>
      reader.all<{ org: number }>('SELECT org FROM index_files WHERE org > 0 ORDER BY org').map(({ org }) => org),
    replaceToken: async (org, former, token) => {
      const sql = `INSERT INTO index_files (org, token) VALUES (?1, ?2)
        ON CONFLICT DO UPDATE SET token = ?2 WHERE token = ?3`;
      let changes = 0;
      await transact(async () => {
        ({ changes } = writing.run(sql, org, token, former ?? null));
      });
      return changes === 1;
    },
  };
}

/**
 * Makes the next start rebuild an organization's index, since vectors were
 * replaced without a change of the clock. No file has the new token, and a file
 * that is being written or read becomes invalid too.
 */
export function forgetIndexFile(connection: Connection, org: number): void {
  const sql = 'INSERT INTO index_files (org, token) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET token = ?2';
  connection.run(sql, org, randomUUID());
}
