import { facetIn, facetRange, facetValue } from '../../../domain/filter/facet.js';
import type { Metadata } from '../../../domain/memory/memory.js';
import { isScalar } from '../../../domain/memory/scalar.js';
import type { FacetCount, Included, Stats, StatsQuery } from '../../../ports/memory-reader.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import { liveIs } from '../engine/statements/filter-conditions.js';
import { matchingSeqs, select } from '../engine/statements/filter-sql.js';
import { NumberSet, splitNumbers } from '../engine/statements/numbers.js';
import type { AssertWanted } from '../engine/threads/abandonment.js';

interface CountedFacet {
  facet: string;
  count: number;
  /** The seq of a memory that has the value. */
  seq: number;
}

/** If fewer than one in this many memories match, reading them is cheaper than scanning all rows of a facet. */
const SELECTIVE = 10;

/** Number of memories read between two calls of `assertWanted`. */
const ASSERT_EVERY_ROWS = 256;

export interface StatsScope {
  connection: Connection;
  organizations: Organizations;
  org: number;
  assertWanted: AssertWanted;
}

export function readStats(scope: StatsScope, query: StatsQuery): Stats {
  const { connection, organizations, org, assertWanted } = scope;
  const counts = organizations.counts(org);
  const total = counts.active + (query.includeDeleted ? counts.deleted : 0);
  const selection = select(connection, org, query);
  const seqs = selection && matchingSeqs(connection, org, selection);
  assertWanted();
  const count = counter(scope, query, seqs, total);
  const facets = query.facets.map((key): [string, FacetCount[]] => {
    assertWanted();
    const counts = count(key)
      .sort((a, b) => b.count - a.count || (a.facet < b.facet ? -1 : 1))
      .slice(0, query.valuesPerFacet)
      .map((counted) => ({ value: facetedValue(connection, key, counted), count: counted.count }));
    return [key, counts];
  });
  return { facets: Object.fromEntries(facets), total, filtered: seqs?.length ?? total };
}

function counter(
  { connection, org, assertWanted }: StatsScope,
  query: StatsQuery,
  seqs: readonly number[] | undefined,
  total: number,
): (key: string) => CountedFacet[] {
  if (!seqs) return (key) => countAll(connection, org, key, query);
  if (seqs.length * SELECTIVE < total) return countInMemories(connection, seqs, query.facets, assertWanted);
  const matching = new NumberSet(seqs);
  return (key) => countAmong(connection, org, key, query, matching);
}

/** Builds a SELECT for the facets of a key, grouped by facet. It has one row per facet for each table that has some. */
export function groupedFacets(columns: string, includeDeleted: Included): string {
  const ofKey = `f.org = ?1 AND f.facet >= ?2 AND f.facet < ?3 AND ${liveIs('f', includeDeleted)} GROUP BY f.facet`;
  return `SELECT f.facet, ${columns} FROM facets f WHERE ${ofKey}
    UNION ALL SELECT f.facet, ${columns} FROM metadata_backlog f WHERE ${ofKey}`;
}

/** Scans the primary keys of the facets, and reads no memory. */
function countAll(
  connection: Connection,
  org: number,
  key: string,
  { includeDeleted, valuesPerFacet }: StatsQuery,
): CountedFacet[] {
  const sql = `SELECT k.facet, sum(k.count) AS count, min(k.seq) AS seq
    FROM (${groupedFacets('count(*) AS count, min(f.seq) AS seq', includeDeleted)}) k
    GROUP BY k.facet ORDER BY count DESC, k.facet LIMIT +?4`;
  return connection.all<CountedFacet>(sql, org, ...facetRange(key), valuesPerFacet);
}

/** Reads the seqs of every value and checks them in JavaScript, which takes half the time of a subquery. */
function countAmong(
  connection: Connection,
  org: number,
  key: string,
  { includeDeleted }: StatsQuery,
  matching: NumberSet,
): CountedFacet[] {
  const grouped = groupedFacets('group_concat(f.seq) AS seqs', includeDeleted);
  const sql = `SELECT k.facet, group_concat(k.seqs) AS seqs FROM (${grouped}) k GROUP BY k.facet`;
  return connection.all<{ facet: string; seqs: string }>(sql, org, ...facetRange(key)).flatMap(({ facet, seqs }) => {
    const found = splitNumbers(seqs).filter((seq) => matching.has(seq));
    const [seq] = found;
    return seq === undefined ? [] : [{ facet, count: found.length, seq }];
  });
}

function countInMemories(
  connection: Connection,
  seqs: readonly number[],
  keys: readonly string[],
  assertWanted: AssertWanted,
) {
  const counts = new Map<string, Map<string, CountedFacet>>(keys.map((key) => [key, new Map()]));
  for (const [index, seq] of seqs.entries()) {
    if (index % ASSERT_EVERY_ROWS === 0) assertWanted();
    const metadata = metadataOf(connection, seq);
    for (const [key, counted] of counts) {
      const facet = facetIn(metadata, key);
      if (facet === undefined) continue;
      const known = counted.get(facet);
      if (known) known.count += 1;
      else counted.set(facet, { facet, count: 1, seq });
    }
  }
  return (key: string): CountedFacet[] => [...(counts.get(key)?.values() ?? [])];
}

function facetedValue(connection: Connection, key: string, { facet, seq }: CountedFacet): FacetCount['value'] {
  return facetValue(key, facet) ?? valueOfMemory(connection, key, seq);
}

/** Returns the scalar that a memory has for a metadata key. */
export function valueOfMemory(connection: Connection, key: string, seq: number): FacetCount['value'] {
  const value = metadataOf(connection, seq)[key];
  return isScalar(value) ? value : null;
}

function metadataOf(connection: Connection, seq: number): Metadata {
  const row = connection.get<{ metadata: string }>('SELECT metadata FROM memories WHERE seq = ?', seq);
  return row ? (JSON.parse(row.metadata) as Metadata) : {};
}
