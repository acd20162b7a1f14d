import type { MemoryRecord } from './record.js';
import { invalid } from './refusal.js';
import { assertExact, assertFields, assertSubjectKey, isObject, type SubjectKeyType } from './validate.js';

export type Matches = (record: MemoryRecord) => boolean;

const METADATA_KEYS = ['agentId', 'source', 'surface', 'project', 'kind', 'documentId'];

/** A filter as text, the way the client sends it in a query. @throws {Refusal} */
export function parseFilter(text: string | null, type: SubjectKeyType): Matches {
  if (text === null) return () => true;
  try {
    return readFilter(JSON.parse(text), type);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('filter', 'must be JSON');
    throw error;
  }
}

/** Whether a memory meets every condition. @throws {Refusal} for a filter that the stand-in does not know */
export function readFilter(filter: unknown, type: SubjectKeyType): Matches {
  if (filter === undefined) return () => true;
  assertFields(filter, [...METADATA_KEYS, 'subjectKey', 'match'], 'filter');
  const { subjectKey, match = {}, ...equal } = filter;
  if (!isObject(match)) throw invalid('filter.match', 'must be a JSON object');
  assertExact(match, 'filter.match');
  if (subjectKey !== undefined) assertSubjectKey(subjectKey, 'filter.subjectKey', type);

  const { externalKey, ...matched } = match;
  const wanted = Object.entries({ ...matched, ...equal });
  return (record) =>
    (subjectKey === undefined || record.subjectKey === subjectKey) &&
    (externalKey === undefined || record.externalKey === externalKey) &&
    wanted.every(([key, value]) => Object.hasOwn(record.metadata, key) && record.metadata[key] === value);
}
