import type { Place } from '../../../domain/documents/chunk.js';
import { subjectText } from '../../../domain/filter/memory-facets.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Connection } from '../engine/connection.js';
import { KeyedStatement } from '../engine/statements/keyed-statement.js';
import { MEMORY_COLUMNS, type MemoryRow, toMemory } from './memory-rows.js';

const BY_SEQ = new KeyedStatement<MemoryRow>(
  (seqs) => `SELECT ${MEMORY_COLUMNS} FROM ${seqs} k CROSS JOIN memories m ON m.seq = k.column1`,
);
const BY_ID = `SELECT ${MEMORY_COLUMNS} FROM memories m WHERE org = ? AND id = ?`;
const ACTIVE_BY_CONTENT = `SELECT ${MEMORY_COLUMNS} FROM memories m
  WHERE org = ? AND subject_key = ? AND content_hash = ? AND chunk = ? AND deleted_at IS NULL`;

export function findRow(connection: Connection, org: number, id: string): MemoryRow | undefined {
  return connection.get<MemoryRow>(BY_ID, org, id);
}

export function findActiveRow(
  connection: Connection,
  org: number,
  { subjectKey, chunk = '' }: Place,
  contentHash: string,
): MemoryRow | undefined {
  return connection.get<MemoryRow>(ACTIVE_BY_CONTENT, org, subjectText(subjectKey), contentHash, chunk);
}

/** Returns the memories of rows, by their seqs. */
export function memoriesOf(
  connection: Connection,
  organizationId: string,
  found: readonly { seq: number }[],
): Map<number, Memory> {
  const seqs = found.map(({ seq }) => seq);
  return new Map(BY_SEQ.all(connection, seqs).map((row) => [row.seq, toMemory(organizationId, row)]));
}
