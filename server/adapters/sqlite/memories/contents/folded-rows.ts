import type { Indexed } from '../../../../ports/unit-of-work.js';
import type { Connection } from '../../engine/connection.js';
import { MEMORY_COLUMNS, type MemoryRow } from '../memory-rows.js';

// Only the index is read: in the row, the fold is behind the content.
const FOLDED = `SELECT seq FROM memories
  WHERE org = ? AND subject_key = ? AND words_hash = ? AND chunk = ? AND deleted_at IS NULL AND fold_hash = ?
  ORDER BY seq LIMIT 1`;

export interface FoldQuery extends Pick<Indexed, 'wordsHash' | 'foldHash'> {
  /** `subjectText` of the subject key. */
  subject: string;
  /** The `chunkIdentity`. Empty if the memory is not a chunk. */
  chunk: string;
}

/** Returns the oldest active row of the place whose content has the same fold. */
export function findByFold(connection: Connection, org: number, query: FoldQuery): MemoryRow | undefined {
  const { subject, wordsHash, foldHash, chunk } = query;
  const found = connection.get<{ seq: number }>(FOLDED, org, subject, wordsHash, chunk, foldHash);
  return found && connection.get<MemoryRow>(`SELECT ${MEMORY_COLUMNS} FROM memories m WHERE m.seq = ?`, found.seq);
}
