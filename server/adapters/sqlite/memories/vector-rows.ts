import type { Microseconds } from '../../../domain/timestamp.js';
import type { EmbeddedBy, Indexed } from '../../../ports/unit-of-work.js';
import type { Connection } from '../engine/connection.js';
import { type OrganizationState, readCounts } from '../engine/organizations.js';
import { toBlob } from '../vector-index/vectors.js';
import { MEMORY_COLUMNS, type MemoryRow } from './memory-rows.js';

/** Inserts the vectors of a new memory. */
export function insertVectors(
  connection: Connection,
  org: number,
  seq: number,
  indexed: Indexed,
  state: OrganizationState,
): void {
  putVector(connection, org, seq * state.vectorSide, indexed);
  if (indexed.pending) storePendingVector(connection, org, seq, indexed.pending, state);
}

/** Replaces the vectors of a memory, whose content changed. */
export function replaceVectors(
  connection: Connection,
  org: number,
  seq: number,
  indexed: Indexed,
  state: OrganizationState,
): void {
  connection.run('DELETE FROM vectors WHERE seq = ?', -seq * state.vectorSide);
  insertVectors(connection, org, seq, indexed, state);
}

export function storePendingVector(
  connection: Connection,
  org: number,
  seq: number,
  pending: EmbeddedBy,
  { settings, vectorSide }: OrganizationState,
): void {
  if (pending.fingerprint !== settings.pendingFingerprint) {
    throw new Error(`${pending.fingerprint} is not the pending embedder`);
  }
  putVector(connection, org, -seq * vectorSide, pending);
}

const PUT = `INSERT INTO vectors (seq, org, fingerprint, embedding)
  SELECT ?1, ?2, key, ?3 FROM fingerprints WHERE fingerprint = ?4 AND dimensions = ?5
  ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, embedding = excluded.embedding`;

/** Stores a vector. The vectors of a fingerprint are compared, so all must have the same dimensions. */
function putVector(connection: Connection, org: number, seq: number, { embedding, fingerprint }: EmbeddedBy): void {
  const { length } = embedding;
  const put = () => connection.run(PUT, seq, org, toBlob(embedding), fingerprint, length).changes > 0;
  if (put()) return;
  const sql = 'SELECT dimensions FROM fingerprints WHERE fingerprint = ?';
  const known = connection.get<{ dimensions: number }>(sql, fingerprint);
  if (known) throw new Error(`A vector has ${length} dimensions, but ${fingerprint} has ${known.dimensions}`);
  connection.run('INSERT INTO fingerprints (fingerprint, dimensions) VALUES (?, ?)', fingerprint, length);
  put();
}

/** Selects the vectors of one embedder that are not searched, by the index alone. */
function otherSide({ vectorSide }: OrganizationState): string {
  return `org = ? AND fingerprint = (SELECT key FROM fingerprints WHERE fingerprint = ?)
    AND seq ${vectorSide > 0 ? '<' : '>'} 0`;
}

/** Returns how many vectors it deleted. */
export function deleteFormerVectors(
  connection: Connection,
  org: number,
  state: OrganizationState,
  limit: number,
): number {
  const { formerFingerprint } = state.settings;
  if (formerFingerprint === undefined) return 0;
  const sql = `DELETE FROM vectors WHERE seq IN (SELECT seq FROM vectors WHERE ${otherSide(state)} LIMIT +?)`;
  return connection.run(sql, org, formerFingerprint, limit).changes;
}

export function countUnembedded(
  connection: Connection,
  org: number,
  state: OrganizationState,
): { all: number; unembedded: number } {
  const { active, deleted } = readCounts(connection, org);
  const all = active + deleted;
  const { pendingFingerprint } = state.settings;
  if (pendingFingerprint === undefined) return { all, unembedded: 0 };
  const sql = `SELECT count(*) AS embedded FROM vectors WHERE ${otherSide(state)}`;
  const row = connection.get<{ embedded: number }>(sql, org, pendingFingerprint);
  return { all, unembedded: all - (row?.embedded ?? 0) };
}

/** Memories that one page looks at, also if few of them have no pending vector. */
const MEMORIES_PER_PAGE = 1_000;

export function findUnembedded(
  connection: Connection,
  org: number,
  { settings, vectorSide }: OrganizationState,
  limit: number,
  after: Microseconds = Number.MIN_SAFE_INTEGER,
): { found: MemoryRow[]; next: Microseconds | undefined } {
  const { pendingFingerprint } = settings;
  if (pendingFingerprint === undefined) return { found: [], next: undefined };
  const those = (state: string) => `SELECT * FROM (SELECT seq, created_at FROM memories
    WHERE org = ?1 AND ${state} AND created_at > ?2 ORDER BY created_at LIMIT +?3)`;
  const page = `${those('deleted_at IS NULL')} UNION ALL ${those('deleted_at IS NOT NULL')}
    ORDER BY created_at LIMIT +?3`;
  const rows = connection.all<{ seq: number; created_at: number }>(page, org, after, MEMORIES_PER_PAGE);
  const missing = new Set(
    withoutVector(
      connection,
      org,
      pendingFingerprint,
      rows.map(({ seq }) => -seq * vectorSide),
    ),
  );
  const found = rows.filter(({ seq }) => missing.has(-seq * vectorSide)).slice(0, limit);
  const last = found.length === limit ? found.at(-1) : rows.at(-1);
  const memories = `SELECT ${MEMORY_COLUMNS} FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value ORDER BY j.key`;
  const seqs = JSON.stringify(found.map(({ seq }) => seq));
  return { found: connection.all<MemoryRow>(memories, seqs), next: last?.created_at };
}

/** Returns the keys that have no vector of an embedder. Reads the index alone. */
function withoutVector(connection: Connection, org: number, fingerprint: string, keys: readonly number[]): number[] {
  const sql = `SELECT j.value AS key FROM json_each(?) j WHERE NOT EXISTS (
    SELECT 1 FROM vectors v INDEXED BY vectors_by_fingerprint WHERE v.org = ? AND v.seq = j.value
      AND v.fingerprint = (SELECT key FROM fingerprints WHERE fingerprint = ?))`;
  return connection.all<{ key: number }>(sql, JSON.stringify(keys), org, fingerprint).map(({ key }) => key);
}
