import type { MemoryRecord } from './record.js';
import { invalid } from './refusal.js';
import { assertExact, assertFields, assertSubjectKey, isObject, type SubjectKeyType } from './validate.js';
import { readWhere } from './where.js';

export type Matches = (record: MemoryRecord) => boolean;

const METADATA_KEYS = ['agentId', 'source', 'surface', 'project', 'kind', 'documentId'];

/** Parses a filter of a query string. @throws {Refusal} */
export function parseFilter(text: string | null, type: SubjectKeyType): Matches {
  if (text === null) return () => true;
  try {
    return readFilter(JSON.parse(text), type);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('filter', 'must be JSON');
    throw error;
  }
}

/** Reports if a memory matches every condition. @throws {Refusal} if the stand-in does not know the filter */
export function readFilter(filter: unknown, type: SubjectKeyType): Matches {
  if (filter === undefined) return () => true;
  assertFields(filter, [...METADATA_KEYS, 'subjectKey', 'match', 'where'], 'filter');
  const { subjectKey, match = {}, where = {}, ...equal } = filter;
  if (!isObject(match)) throw invalid('filter.match', 'must be a JSON object');
  assertExact(match, 'filter.match');
  if (subjectKey !== undefined) assertSubjectKey(subjectKey, 'filter.subjectKey', type);

  const meetsWhere = readWhere(where);
  const { externalKey, ...matched } = match;
  const wanted = Object.entries({ ...matched, ...equal });
  return (record) =>
    (subjectKey === undefined || record.subjectKey === subjectKey) &&
    (externalKey === undefined || record.externalKey === externalKey) &&
    meetsWhere(record) &&
    wanted.every(([key, value]) => Object.hasOwn(record.metadata, key) && record.metadata[key] === value);
}
