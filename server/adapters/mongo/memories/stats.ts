import type { ClientSession, Document } from 'mongodb';
import { facetRange, facetValue } from '../../../domain/filter/facet.js';
import { isEmptyFilter } from '../../../domain/filter/filter.js';
import type { Metadata } from '../../../domain/memory/memory.js';
import { isScalar } from '../../../domain/memory/scalar.js';
import type { FacetCount, Stats, StatsQuery } from '../../../ports/memory-reader.js';
import type { Collections } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import type { ReadOptions } from '../engine/read-options.js';

export interface StatsOptions extends ReadOptions {
  session: ClientSession;
}

export interface CountedFacet {
  _id: string;
  count: number;
  /** Id of a memory with this facet. */
  sample: string;
}

/** Counts what a filter matches, in the snapshot of the session. Reads each match once. */
export async function readStats(
  { memories, organizations }: Pick<Collections, 'memories' | 'organizations'>,
  organizationId: string,
  query: StatsQuery,
  options: StatsOptions,
): Promise<Stats> {
  const projection = { active: 1, deleted: 1 };
  const counts = await organizations.findOne({ _id: organizationId }, { ...options, projection });
  const total = (counts?.active ?? 0) + (query.includeDeleted ? (counts?.deleted ?? 0) : 0);
  const scope = scopeFilter(organizationId, query);
  const { facets: keys, valuesPerFacet } = query;
  if (keys.length === 0) {
    const filtered = isEmptyFilter(query.filter) ? total : await memories.countDocuments(scope, options);
    return { facets: {}, total, filtered };
  }
  if (total === 0) return { facets: Object.fromEntries(keys.map((key) => [key, []])), total, filtered: 0 };
  const counted = await countFacets(memories, scope, keys, valuesPerFacet, options);
  const facets: [string, FacetCount[]][] = [];
  for (const [at, key] of keys.entries()) {
    facets.push([key, await facetCounts(memories, key, counted.facets[at] ?? [], options)]);
  }
  return { facets: Object.fromEntries(facets), total, filtered: counted.matching };
}

/**
 * Counts the memories of a scope and the values of metadata keys, the most frequent first. Reads each memory once,
 * however many keys there are.
 */
export async function countFacets(
  memories: Collections['memories'],
  scope: Document,
  keys: readonly string[],
  limit: number,
  options: StatsOptions,
): Promise<{ matching: number; facets: CountedFacet[][] }> {
  const countsOf = (key: string) => {
    const [from, before] = facetRange(key);
    const isOfKey = { $and: [{ $gte: ['$$facet', from] }, { $lt: ['$$facet', before] }] };
    return [
      { $project: { facets: { $filter: { input: '$facets', as: 'facet', cond: isOfKey } } } },
      { $unwind: '$facets' },
      { $group: { _id: '$facets', count: { $sum: 1 }, sample: { $first: '$_id' } } },
      { $sort: { count: -1, _id: 1 } },
      { $limit: limit },
    ];
  };
  const counts = Object.fromEntries(keys.map((key, at) => [String(at), countsOf(key)]));
  const all = [{ $count: 'count' }];
  const [counted] = await memories
    .aggregate<Record<string, CountedFacet[]> & { all: [{ count: number }?] }>(
      [{ $match: scope }, { $project: { facets: 1 } }, { $facet: { all, ...counts } }],
      options,
    )
    .toArray();
  return { matching: Number(counted?.all[0]?.count ?? 0), facets: keys.map((_, at) => counted?.[at] ?? []) };
}

/** Returns the counts of facets. A facet only has the hash of a long value, so the value is read from a memory. */
export async function facetCounts(
  memories: Collections['memories'],
  key: string,
  counted: readonly CountedFacet[],
  options: StatsOptions,
): Promise<FacetCount[]> {
  const long = counted.filter(({ _id }) => facetValue(key, _id) === undefined).map(({ sample }) => sample);
  const samples = new Map<string, string>();
  if (long.length > 0) {
    const found = memories.find({ _id: { $in: long } }, { ...options, projection: { metadata: 1 } });
    for await (const { _id, metadata } of found) samples.set(_id, metadata);
  }
  return counted.map(({ _id, count, sample }) => ({
    value: facetValue(key, _id) ?? valueIn(samples.get(sample), key),
    count,
  }));
}

function valueIn(json: string | undefined, key: string): FacetCount['value'] {
  const value = json === undefined ? null : (JSON.parse(json) as Metadata)[key];
  return isScalar(value) ? value : null;
}
