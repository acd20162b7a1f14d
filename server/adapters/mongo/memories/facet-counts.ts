import type { Document } from 'mongodb';
import { facetValue } from '../../../domain/filter/facet.js';
import { FACET_KEYS, type FacetKey } from '../../../domain/filter/named-keys.js';
import type { FacetCount, Stats, StatsQuery } from '../../../ports/memory-reader.js';
import type { Collections, FacetCountDocument, OrganizationDocument } from '../engine/collections.js';
import { compoundId } from '../engine/documents.js';
import { ALL_FACETS, facetsTo } from '../engine/organization-state.js';
import type { ReadOptions } from '../engine/read-options.js';

interface Part {
  organization?: Pick<OrganizationDocument, 'active' | 'deleted' | 'revision' | 'facetRevision' | 'facetsTo'>;
  counted?: Pick<FacetCountDocument, '_id' | 'key' | 'value'> & { count: number };
}

/** Reports if each of these metadata keys is counted with the writes. */
export function areCounted(keys: readonly string[]): keys is readonly FacetKey[] {
  return keys.every((key) => FACET_KEYS.some((counted) => counted === key));
}

/**
 * Reads the counts of all memories that the writes keep, at one moment, with one command that reads no memory.
 *
 * @returns undefined if the counts are not complete: see `countEarlierFacets`
 */
export async function readFacetCounts(
  { organizations, facetCounts }: Pick<Collections, 'organizations' | 'facetCounts'>,
  org: string,
  { facets, includeDeleted, valuesPerFacet }: Omit<StatsQuery, 'facets'> & { facets: readonly FacetKey[] },
  options: ReadOptions,
): Promise<Stats | undefined> {
  const field = includeDeleted ? 'all' : 'active';
  const ofKey = (key: FacetKey): Document[] => [
    { $match: { org, key, [field]: { $gt: 0 } } },
    { $sort: { [field]: -1, _id: 1 } },
    { $limit: valuesPerFacet },
    { $project: { _id: 0, counted: { _id: '$_id', key: '$key', value: '$value', count: `$${field}` } } },
  ];
  const kept = { active: 1, deleted: 1, revision: 1, facetRevision: 1, facetsTo: 1 };
  const pipeline = [
    { $match: { _id: org } },
    { $project: kept },
    { $project: { _id: 0, organization: '$$ROOT' } },
    ...facets.map((key) => ({ $unionWith: { coll: facetCounts.collectionName, pipeline: ofKey(key) } })),
  ];
  const batchSize = facets.length * valuesPerFacet + 2;
  const parts = await organizations
    .aggregate<Part>(pipeline, { ...options, batchSize, readConcern: { level: 'snapshot' } })
    .toArray();
  const organization = parts.find((part) => part.organization)?.organization;
  if (organization && facetsTo(organization) !== ALL_FACETS) return undefined;
  const total = (organization?.active ?? 0) + (includeDeleted ? (organization?.deleted ?? 0) : 0);
  const counts = parts.flatMap(({ counted }) => counted ?? []);
  const ofFacet = (wanted: FacetKey): FacetCount[] =>
    counts
      .filter(({ key }) => key === wanted)
      .map(({ _id, value, count }) => ({ value: facetValue(wanted, facetOfId(org, _id)) ?? value ?? null, count }));
  return { facets: Object.fromEntries(facets.map((key) => [key, ofFacet(key)])), total, filtered: total };
}

function facetOfId(org: string, id: string): string {
  return id.slice(compoundId(org, '').length);
}
