import { chunkIdentity } from '../../../domain/documents/chunk.js';
import { parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import { ownHash, suffixOf } from '../../../domain/memory/distinct.js';
import type { Memory, Metadata } from '../../../domain/memory/memory.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import type { Indexed } from '../../../ports/unit-of-work.js';
import type { Connection } from '../engine/connection.js';
import { isUniqueViolation } from '../engine/errors.js';

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

/** Inserts the row of a memory without its vectors and its facets, and returns its seq. @throws {DuplicateMemoryError} */
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

/** Updates the row of a memory, but neither its vectors nor its facets. @throws {DuplicateMemoryError} */
export function updateRow(connection: Connection, row: MemoryRow, memory: Memory, indexed?: Indexed): void {
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
}

function unique<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new DuplicateMemoryError('Another active memory is the same', { cause: error });
    throw error;
  }
}
