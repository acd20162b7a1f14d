import { memoryOfTombstone } from '../../../domain/filter/tombstone.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { ListQuery } from '../../../ports/memory-reader.js';
import type { Connection } from '../engine/connection.js';
import { allOf, condition } from '../engine/statements/sql.js';
import type { MemoryRow } from './memory-rows.js';

interface TombstoneRow {
  id: string;
  created_at: number;
  deleted_at: number;
  purged_at: number;
}

/** Replaces a deleted memory with a tombstone. Removes its row, its vectors and its versions. */
export function purgeRow(connection: Connection, { seq }: MemoryRow, at: Microseconds): void {
  connection.run(
    `INSERT INTO tombstones (seq, org, id, created_at, deleted_at, purged_at)
       SELECT seq, org, id, created_at, deleted_at, ? FROM memories WHERE seq = ?`,
    at,
    seq,
  );
  removeRow(connection, seq);
}

/** Removes a memory with its vectors and its versions. */
export function removeRow(connection: Connection, seq: number): void {
  connection.run('DELETE FROM vectors WHERE seq IN (?1, -?1)', seq);
  connection.run('DELETE FROM memories WHERE seq = ?', seq);
}

/** Returns the tombstones for a list of changes, in its order. */
export function listTombstones(
  connection: Connection,
  organizationId: string,
  org: number,
  { since, after, limit }: Pick<ListQuery, 'since' | 'after' | 'limit'>,
): Memory[] {
  const { text, parameters } = allOf([
    condition('org = ?', org),
    // The position implies the bound. With both, the engine would walk from the bound.
    ...(since === undefined || (after && after.at >= since) ? [] : [condition('purged_at >= ?', since)]),
    ...(after ? [condition('(purged_at, id) > (?, ?)', after.at, after.id)] : []),
  ]);
  const sql = `SELECT id, created_at, deleted_at, purged_at FROM tombstones WHERE ${text}
    ORDER BY purged_at, id LIMIT +?`;
  return connection
    .all<TombstoneRow>(sql, ...parameters, limit)
    .map(({ id, created_at: createdAt, deleted_at: deletedAt, purged_at: purgedAt }) =>
      memoryOfTombstone(organizationId, { id, createdAt, deletedAt, purgedAt }),
    );
}
