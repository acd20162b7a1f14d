import { type Matches, readFilter } from './filter.js';
import { invalid } from './refusal.js';
import { assertFields, isObject, type SubjectKeyType } from './validate.js';

/** Selects memories to delete: by ids, or by a filter with the expected count. */
interface Deletes {
  ids: string[];
  matches: Matches | undefined;
  expectedCount: number | undefined;
}

const MAX_IDS = 1_000;

/** @throws {Refusal} if the body has neither ids nor a filter with its count */
export function readDeletes(body: unknown, type: SubjectKeyType): Deletes {
  assertFields(body, ['ids', 'filter', 'expectedCount']);
  const { ids, filter, expectedCount } = body;
  if (ids === undefined) return { ids: [], ...readMatches(filter, expectedCount, type) };
  if (filter !== undefined || expectedCount !== undefined) throw invalid('ids', 'must be given alone');
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MAX_IDS) {
    throw invalid('ids', `must be a list of at most ${MAX_IDS} ids`);
  }
  return { ids: ids.map(String), matches: undefined, expectedCount: undefined };
}

function readMatches(filter: unknown, expectedCount: unknown, type: SubjectKeyType): Omit<Deletes, 'ids'> {
  if (filter === undefined || typeof expectedCount !== 'number') {
    throw invalid('', 'must have at least one of ids, filter and expectedCount');
  }
  const matches = readFilter(filter, type);
  if (isObject(filter) && Object.keys(filter).length === 0) throw invalid('filter', 'must have a condition');
  return { matches, expectedCount };
}
