import type { Connection } from './connection.js';
import type { SavedIndexLedger } from './vector-index/saved-indexes.js';

/** Which index files go with this database. A database that was put back from a backup knows only those of its time. */
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
    saveToken: async (org, token) => {
      const sql = 'INSERT INTO index_files (org, token) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET token = ?2';
      await transact(async () => writing.run(sql, org, token));
    },
  };
}

/** The next start builds the index of an organization anew: vectors were exchanged at times that no clock tells. */
export function forgetIndexFile(connection: Connection, org: number): void {
  connection.run('DELETE FROM index_files WHERE org = ?', org);
}
