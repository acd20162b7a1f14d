import type { Document } from 'mongodb';
import { bucketNumber, FIXED_LENGTHS } from '../../../domain/memory/buckets.js';
import type { FacetSeries, Histogram, HistogramQuery } from '../../../ports/memory-reader.js';
import type { Collections } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import { countFacets, facetCounts, type StatsOptions } from './stats.js';

/** Counts in the snapshot of the session. */
export async function readHistogram(
  { memories }: Pick<Collections, 'memories'>,
  organizationId: string,
  query: HistogramQuery,
  options: StatsOptions,
): Promise<Histogram> {
  const scope = {
    $and: [scopeFilter(organizationId, query), { [query.time]: { $gte: query.since, $lt: query.until } }],
  };
  const counts = await countIntervals(memories, scope, query, options);
  const { facet } = query;
  if (!facet) return { counts };
  const isEmpty = counts.every((count) => count === 0);
  const { facets } = isEmpty ? { facets: [] } : await countFacets(memories, scope, [facet.key], facet.values, options);
  const [counted = []] = facets;
  const values = await facetCounts(memories, facet.key, counted, options);
  const series: FacetSeries[] = [];
  for (const [index, { _id }] of counted.entries()) {
    const value = values[index];
    // Each value is counted with the index of facets, which does not read the memories.
    const having = { $and: [scope, { facets: _id }] };
    if (value) series.push({ ...value, counts: await countIntervals(memories, having, query, options) });
  }
  return { counts, series };
}

async function countIntervals(
  memories: Collections['memories'],
  scope: Document,
  query: HistogramQuery,
  options: StatsOptions,
): Promise<number[]> {
  const { starts, interval } = query;
  const [first] = starts;
  if (first === undefined) return [];
  const found = await memories
    .aggregate<{ _id: number; count: number }>(
      [{ $match: scope }, { $group: { _id: numberOf(query), count: { $sum: 1 } } }],
      options,
    )
    .toArray();
  const counts = new Map(found.map(({ _id, count }) => [_id, count]));
  const firstNumber = bucketNumber(interval, first);
  return starts.map((_, index) => counts.get(firstNumber + index) ?? 0);
}

/** Computes `bucketNumber` in the database. */
function numberOf({ interval, time }: HistogramQuery): Document {
  const length = FIXED_LENGTHS[interval];
  if (length !== undefined) {
    const rest = { $mod: [{ $add: [{ $mod: [`$${time}`, length] }, length] }, length] };
    return { $divide: [{ $subtract: [`$${time}`, rest] }, length] };
  }
  const date = { $toDate: { $toLong: { $floor: { $divide: [`$${time}`, 1_000] } } } };
  return { $add: [{ $multiply: [{ $year: date }, 12] }, { $month: date }, -1] };
}
