import { type DocumentName, withinDocument } from '../../../../domain/documents/document.js';
import { isEmptyFilter, NO_FILTER } from '../../../../domain/filter/filter.js';
import { subjectText } from '../../../../domain/filter/memory-facets.js';
import type { ReadScope, SearchScope } from '../../../../ports/memory-reader.js';
import type { Connection } from '../connection.js';
import { joinedSeqs, matchingSeqs, select } from './filter-sql.js';
import { NumberSet } from './numbers.js';

/** Rows counted per condition. Most documents have fewer chunks, and then their rows are the rarest. */
const MAX_COUNTED = 500;

/** Reads one range of an index, and no memory. */
const ACTIVE_CHUNKS = `SELECT seq FROM memories
  WHERE org = ? AND subject_key = ? AND document = ? AND deleted_at IS NULL AND document IS NOT NULL`;
const OF_SUBJECT =
  'SELECT j.value AS seq FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value WHERE m.subject_key = ?';

/** Returns the seqs of the memories of a document that match a scope, unordered. */
export function documentSeqs(
  connection: Connection,
  org: number,
  { filter, includeDeleted }: ReadScope,
  document: DocumentName,
): number[] {
  const subject = subjectText(document.subjectKey);
  if (!includeDeleted && isEmptyFilter(filter)) {
    return joinedSeqs(connection, ACTIVE_CHUNKS, [org, subject, document.documentId]);
  }
  const scope = { filter: withinDocument(filter, document), includeDeleted };
  const selection = select(connection, org, scope, MAX_COUNTED);
  const seqs = selection ? matchingSeqs(connection, org, selection) : [];
  return joinedSeqs(connection, OF_SUBJECT, [JSON.stringify(seqs), subject]);
}

/** Returns the seqs that a search leaves out, or undefined if it leaves out none. */
export function excludedSeqs(
  connection: Connection,
  org: number,
  { outside = [], includeDeleted }: Pick<SearchScope, 'outside' | 'includeDeleted'>,
): NumberSet | undefined {
  if (outside.length === 0) return undefined;
  const scope = { filter: NO_FILTER, includeDeleted };
  return new NumberSet(outside.flatMap((document) => documentSeqs(connection, org, scope, document)));
}
