import { chunkIdentity } from '../../../domain/documents/chunk.js';
import { facetsOfMemory, parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import { valuesOf } from '../../../domain/filter/metadata-values.js';
import { ownHash, suffixOf } from '../../../domain/memory/distinct.js';
import type { Memory, Metadata } from '../../../domain/memory/memory.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import type { Indexed } from '../../../ports/unit-of-work.js';
import type { Connection } from '../engine/connection.js';
import { isUniqueViolation } from '../engine/errors.js';

/*
 * The facets, and the values, of a memory are each inserted with one statement, which takes half the time of one for
 * each.
 */

/** The columns from which a memory is read. No reader needs the other columns of the table. */
export interface MemoryRow {
  seq: number;
  id: string;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  expires_at: number | null;
  /** 1 if the memory is distinct, else 0. */
  is_distinct: number;
  subject_key: string;
  external_key: string | null;
  scope_source: string;
  scope_project: string;
  metadata: string;
  content: string;
}

/** A row whose content is cut. */
export interface PreviewRow extends MemoryRow {
  /** Characters of the whole content. */
  content_length: number;
}

const COLUMNS_BESIDE_CONTENT =
  'm.seq, m.id, m.created_at, m.updated_at, m.deleted_at, m.subject_key, m.external_key, ' +
  'm.scope_source, m.scope_project, m.metadata, m.expires_at, m.is_distinct';

export const MEMORY_COLUMNS = `${COLUMNS_BESIDE_CONTENT}, m.content`;

/** Has one parameter: the number of characters of a cut content. */
export const PREVIEW_COLUMNS = `${COLUMNS_BESIDE_CONTENT},
  substr(m.content, 1, ?) AS content, length(m.content) AS content_length`;

/** Greater than every seq ever used. Includes tombstones, since a purged memory may have had the highest seq. */
const NEXT_SEQ = `(1 + max(coalesce((SELECT max(seq) FROM memories), 0), coalesce((SELECT max(seq) FROM tombstones), 0)))`;

export function toMemory(organizationId: string, row: MemoryRow): Memory {
  const subjectKey = parseSubjectText(row.subject_key);
  return {
    id: row.id,
    organizationId,
    content: row.content,
    metadata: JSON.parse(row.metadata) as Metadata,
    ...(row.external_key !== null && { externalKey: row.external_key }),
    scope: { source: row.scope_source, project: row.scope_project },
    ...(subjectKey !== undefined && { subjectKey }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.is_distinct === 1 && { distinct: true }),
  };
}

/** Inserts the row of a memory without its vectors, and returns its seq. @throws {DuplicateMemoryError} */
export function insertRow(
  connection: Connection,
  org: number,
  memory: Memory,
  indexed: Indexed,
  words: number,
): number {
  const { scope } = memory;
  const { rowId: seq } = unique(() =>
    connection.run(
      `INSERT INTO memories (seq, org, id, created_at, updated_at, deleted_at, words, subject_key, external_key,
         scope_source, scope_project, content_hash, words_hash, fold_hash, chunk, metadata, content, expires_at, is_distinct)
         VALUES (${NEXT_SEQ}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      org,
      memory.id,
      memory.createdAt,
      memory.updatedAt,
      memory.deletedAt ?? null,
      words,
      subjectText(memory.subjectKey),
      memory.externalKey ?? null,
      scope.source,
      scope.project,
      ownHash(indexed.contentHash, memory),
      ownHash(indexed.wordsHash, memory),
      indexed.foldHash,
      chunkIdentity(memory.metadata) ?? '',
      JSON.stringify(memory.metadata),
      memory.content,
      memory.expiresAt ?? null,
      Number(memory.distinct ?? false),
    ),
  );
  insertFacets(connection, org, seq, memory, facetsOfMemory(memory));
  insertValues(connection, org, seq, memory);
  return seq;
}

/** Returns the plain hash in a column of `ownHash`. */
function plainHash(column: string): string {
  return `substr(${column}, 1, instr(${column} || ':', ':') - 1)`;
}

const UPDATE = `UPDATE memories SET updated_at = ?, deleted_at = ?, expires_at = ?, is_distinct = ?, subject_key = ?,
  external_key = ?, scope_source = ?, scope_project = ?, chunk = ?, metadata = ?, content = ?,
  content_hash = coalesce(?, ${plainHash('content_hash')}) || ?, words_hash = coalesce(?, ${plainHash('words_hash')}) || ?,
  fold_hash = coalesce(?, fold_hash) WHERE seq = ?`;

/** Updates the row of a memory, but not its vectors. @throws {DuplicateMemoryError} */
export function updateRow(
  connection: Connection,
  org: number,
  row: MemoryRow,
  memory: Memory,
  indexed?: Indexed,
): void {
  const suffix = suffixOf(memory);
  unique(() =>
    connection.run(
      UPDATE,
      memory.updatedAt,
      memory.deletedAt ?? null,
      memory.expiresAt ?? null,
      Number(memory.distinct ?? false),
      subjectText(memory.subjectKey),
      memory.externalKey ?? null,
      memory.scope.source,
      memory.scope.project,
      chunkIdentity(memory.metadata) ?? '',
      JSON.stringify(memory.metadata),
      memory.content,
      indexed?.contentHash ?? null,
      suffix,
      indexed?.wordsHash ?? null,
      suffix,
      indexed?.foldHash ?? null,
      row.seq,
    ),
  );
  updateFacets(connection, org, row, memory);
}

/** Updates the facets and the metadata values. */
function updateFacets(connection: Connection, org: number, row: MemoryRow, memory: Memory): void {
  const before = toMemory(memory.organizationId, row);
  const isMoved = (before.deletedAt === undefined) !== (memory.deletedAt === undefined);
  const old = new Set(facetsOfMemory(before));
  const now = new Set(facetsOfMemory(memory));
  const gone = [...old].filter((facet) => isMoved || !now.has(facet));
  const come = [...now].filter((facet) => isMoved || !old.has(facet));
  if (gone.length > 0) deleteFacets(connection, org, row.seq, before, gone);
  insertFacets(connection, org, row.seq, memory, come);
  if (!isMoved && row.metadata === JSON.stringify(memory.metadata)) return;
  connection.run('DELETE FROM metadata_values WHERE seq = ?', row.seq);
  insertValues(connection, org, row.seq, memory);
}

export function deleteFacets(
  connection: Connection,
  org: number,
  seq: number,
  memory: Memory,
  facets: readonly string[],
): void {
  connection.run(
    'DELETE FROM facets WHERE org = ? AND live = ? AND facet IN (SELECT value FROM json_each(?)) AND seq = ?',
    org,
    liveColumn(memory),
    JSON.stringify(facets),
    seq,
  );
}

function insertFacets(
  connection: Connection,
  org: number,
  seq: number,
  memory: Memory,
  facets: readonly string[],
): void {
  if (facets.length === 0) return;
  const sql = 'INSERT INTO facets (org, live, facet, seq) SELECT ?, ?, j.value, ? FROM json_each(?) j';
  connection.run(sql, org, liveColumn(memory), seq, JSON.stringify(facets));
}

function insertValues(connection: Connection, org: number, seq: number, memory: Memory): void {
  const values = Object.fromEntries(valuesOf(memory.metadata).map(({ key, value }) => [key, value]));
  if (Object.keys(values).length === 0) return;
  const sql = `INSERT INTO metadata_values (seq, key, org, live, value)
    SELECT ?, j.key, ?, ?, j.atom FROM json_each(?) j`;
  connection.run(sql, seq, org, liveColumn(memory), JSON.stringify(values));
}

function liveColumn({ deletedAt }: Memory): number {
  return deletedAt === undefined ? 1 : 0;
}

function unique<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new DuplicateMemoryError('Another active memory is the same', { cause: error });
    throw error;
  }
}
