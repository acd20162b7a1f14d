import { exportMemoriesBounds, listRecentMemoriesBounds } from '../generated/constants.gen.js';
import type { ChangesPage, Facet, FacetValue, RecentMemories, Stats } from '../generated/types.gen.js';
import { type Matches, parseFilter } from './filter.js';
import { cursorAt, type MemoryRecord, presentChange, presentMemory } from './record.js';
import { invalid } from './refusal.js';
import { readBoolean, readLimit, type SubjectKeyType } from './validate.js';

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})Z\|[0-9a-f-]{36}$/;

/** Selects the memories that a query string matches. @throws {Refusal} */
export function select(records: readonly MemoryRecord[], query: URLSearchParams, type: SubjectKeyType): MemoryRecord[] {
  return records.filter(selection(query, type));
}

export function recent(selected: readonly MemoryRecord[], query: URLSearchParams): RecentMemories {
  const limit = readLimit(query.get('limit'), listRecentMemoriesBounds.limit);
  const results = selected.toReversed().slice(0, limit).map(presentMemory);
  return { results, meta: { count: results.length } };
}

/** Returns a page of an export as lines, and the next cursor. */
export function exportPage(
  selected: readonly MemoryRecord[],
  query: URLSearchParams,
): { lines: string; nextCursor: string | undefined } {
  const { page, hasMore } = pageOf(selected, query, ({ createdAt }) => createdAt);
  const lines = page.map((record) => `${JSON.stringify(presentMemory(record))}\n`).join('');
  const last = page.at(-1);
  return { lines, nextCursor: hasMore && last ? cursorAt(last.createdAt, last) : undefined };
}

/** @throws {Refusal} if `since` is missing or not a time */
export function changes(selected: readonly MemoryRecord[], query: URLSearchParams): ChangesPage {
  const sinceMs = Date.parse(query.get('since') ?? '');
  if (Number.isNaN(sinceMs)) throw invalid('since', 'must be an ISO 8601 time');
  const since = selected
    .filter(({ updatedAt }) => updatedAt >= sinceMs * 1_000)
    .sort((one, other) => one.updatedAt - other.updatedAt);
  const { page, hasMore } = pageOf(since, query, ({ updatedAt }) => updatedAt);
  const last = page.at(-1);
  const nextCursor = last ? cursorAt(last.updatedAt, last) : query.get('cursor');
  return {
    changes: page.map(presentChange),
    meta: { count: page.length, hasMore },
    ...(nextCursor !== null && { nextCursor }),
  };
}

export function stats(records: readonly MemoryRecord[], query: URLSearchParams, type: SubjectKeyType): Stats {
  const selected = select(records, query, type);
  const includeDeleted = readBoolean(query.get('includeDeleted'), 'includeDeleted', false);
  const facet = (key: string) => facetOf(selected, key);
  return {
    facets: {
      agentId: facet('agentId'),
      source: facet('source'),
      surface: facet('surface'),
      project: facet('project'),
      kind: facet('kind'),
    },
    meta: {
      total: records.filter(({ deletedAt }) => includeDeleted || deletedAt === undefined).length,
      filtered: selected.length,
    },
  };
}

function selection(query: URLSearchParams, type: SubjectKeyType): Matches {
  const matches = parseFilter(query.get('filter'), type);
  const includeDeleted = readBoolean(query.get('includeDeleted'), 'includeDeleted', false);
  return (record) => (includeDeleted || record.deletedAt === undefined) && matches(record);
}

function pageOf(
  records: readonly MemoryRecord[],
  query: URLSearchParams,
  timeOf: (record: MemoryRecord) => number,
): { page: MemoryRecord[]; hasMore: boolean } {
  const limit = readLimit(query.get('limit'), exportMemoriesBounds.limit);
  const cursor = query.get('cursor');
  if (cursor !== null && !CURSOR.test(cursor)) throw invalid('cursor', 'must be the value that the previous page gave');
  // All cursors have the same form and different times, so string order is the order of time.
  const left = records.filter((record) => cursor === null || cursorAt(timeOf(record), record) > cursor);
  return { page: left.slice(0, limit), hasMore: left.length > limit };
}

function facetOf(records: readonly MemoryRecord[], key: string): Facet {
  const counts = new Map<FacetValue['value'], number>();
  for (const { metadata } of records) {
    const value = metadata[key];
    if (isScalar(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort(byCountThenValue);
}

function byCountThenValue(one: FacetValue, other: FacetValue): number {
  return other.count - one.count || (String(one.value) < String(other.value) ? -1 : 1);
}

function isScalar(value: unknown): value is FacetValue['value'] {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
