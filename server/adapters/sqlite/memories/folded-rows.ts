import { hashFold } from '../../../domain/memory/fold.js';
import type { Indexed } from '../../../ports/store.js';
import type { Connection } from '../engine/connection.js';
import { MEMORY_COLUMNS, type MemoryRow } from './memory-rows.js';

const MOST_ROWS = 50;
/** UTF-16 code units of contents that one lookup folds: some 30 ms. Those left over are folded by the next ones. */
const MOST_FOLDED = 100_000;

const ACTIVE_WITH_WORDS = 'org = ? AND subject_key = ? AND words_hash = ? AND chunk = ? AND deleted_at IS NULL';
// The fold is the last column, behind the content: only the index is asked for it.
const FOLDED = `SELECT seq FROM memories WHERE ${ACTIVE_WITH_WORDS} AND fold_hash = ? ORDER BY seq LIMIT 1`;
const UNFOLDED = `SELECT seq FROM memories WHERE ${ACTIVE_WITH_WORDS} AND fold_hash IS NULL ORDER BY seq LIMIT +?`;

export interface FoldQuery extends Pick<Indexed, 'wordsHash' | 'foldHash'> {
  /** `subjectText` of the subject key. */
  subject: string;
  /** The `chunkIdentity`; empty for what is not a chunk. */
  chunk: string;
}

/**
 * The oldest active row of the place whose content folds alike.
 *
 * Rows that were stored before folds were have none. Contents that fold alike have the same words, so those of the
 * same words get theirs here, inside the write that looks for it.
 */
export function findByFold(connection: Connection, org: number, query: FoldQuery): MemoryRow | undefined {
  foldOldRows(connection, org, query);
  const { subject, wordsHash, foldHash, chunk } = query;
  const found = connection.get<{ seq: number }>(FOLDED, org, subject, wordsHash, chunk, foldHash);
  return found && connection.get<MemoryRow>(`SELECT ${MEMORY_COLUMNS} FROM memories m WHERE m.seq = ?`, found.seq);
}

function foldOldRows(connection: Connection, org: number, { subject, wordsHash, chunk }: FoldQuery): void {
  let left = MOST_FOLDED;
  for (const { seq } of connection.all<{ seq: number }>(UNFOLDED, org, subject, wordsHash, chunk, MOST_ROWS)) {
    if (left <= 0) return;
    const { content = '' } =
      connection.get<{ content: string }>('SELECT content FROM memories WHERE seq = ?', seq) ?? {};
    connection.run('UPDATE memories SET fold_hash = ? WHERE seq = ?', hashFold(content), seq);
    left -= content.length;
  }
}
