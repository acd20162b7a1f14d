import { facetOf, facetPrefix, facetValue, isScalar } from '../../domain/facet.js';
import type { Metadata } from '../../domain/memory.js';
import type { FacetCount, Stats, StatsQuery } from '../../ports/store.js';
import type { Connection } from './connection.js';
import { matchingSeqs, memoryMatches, type Selection, select } from './filter-sql.js';
import type { Organizations } from './organizations.js';

interface CountedFacet {
  facet: string;
  count: number;
  /** A memory that has it. */
  seq: number;
}

/** Below one in so many, reading the matching memories is cheaper than walking all rows of a facet. */
const SELECTIVE = 10;

export function readStats(connection: Connection, organizations: Organizations, org: number, query: StatsQuery): Stats {
  const counts = organizations.counts(org);
  const total = counts.active + (query.includeDeleted ? counts.deleted : 0);
  const selection = select(connection, org, query);
  const seqs = selection && matchingSeqs(connection, org, selection);
  const isSelective = seqs !== undefined && seqs.length * SELECTIVE < total;
  const count = isSelective
    ? countInMemories(connection, seqs, query.facets)
    : (key: string) => countInFacets(connection, org, key, query, selection);
  const facets = query.facets.map((key): [string, FacetCount[]] => [
    key,
    count(key)
      .sort((a, b) => b.count - a.count || (a.facet < b.facet ? -1 : 1))
      .slice(0, query.valuesPerFacet)
      .map((counted) => ({ value: facetedValue(connection, key, counted), count: counted.count })),
  ]);
  return { facets: Object.fromEntries(facets), total, filtered: seqs?.length ?? total };
}

/** Along the facets' own key: no memory is read. */
function countInFacets(
  connection: Connection,
  org: number,
  key: string,
  { includeDeleted, valuesPerFacet }: StatsQuery,
  selection: Selection | undefined,
): CountedFacet[] {
  const prefix = facetPrefix(key);
  const matches = selection ? memoryMatches(selection) : undefined;
  // Only a filter needs the memory's row; the join is by its primary key.
  const filtered = matches ? `CROSS JOIN memories m ON m.seq = f.seq WHERE ${matches.text} AND` : 'WHERE';
  const sql = `
    SELECT f.facet, count(*) AS count, min(f.seq) AS seq FROM facets f ${filtered}
      f.org = ? AND ${includeDeleted ? 'f.live IN (0, 1)' : 'f.live = 1'} AND f.facet >= ? AND f.facet < ?
      GROUP BY f.facet ORDER BY count DESC, f.facet LIMIT ?`;
  return connection.all<CountedFacet>(
    sql,
    ...(matches?.parameters ?? []),
    org,
    prefix,
    afterPrefix(prefix),
    valuesPerFacet,
  );
}

function countInMemories(connection: Connection, seqs: readonly number[], keys: readonly string[]) {
  const counts = new Map<string, Map<string, CountedFacet>>(keys.map((key) => [key, new Map()]));
  for (const seq of seqs) {
    const metadata = metadataOf(connection, seq);
    for (const [key, counted] of counts) {
      const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
      if (value === undefined || !isScalar(value)) continue;
      const facet = facetOf(key, value);
      const known = counted.get(facet);
      if (known) known.count += 1;
      else counted.set(facet, { facet, count: 1, seq });
    }
  }
  return (key: string): CountedFacet[] => [...(counts.get(key)?.values() ?? [])];
}

function facetedValue(connection: Connection, key: string, { facet, seq }: CountedFacet): FacetCount['value'] {
  const literal = facetValue(key, facet);
  if (literal !== undefined) return literal;
  const value = metadataOf(connection, seq)[key];
  return isScalar(value) ? value : null;
}

function metadataOf(connection: Connection, seq: number): Metadata {
  const row = connection.get<{ metadata: string }>('SELECT metadata FROM memories WHERE seq = ?', seq);
  return row ? (JSON.parse(row.metadata) as Metadata) : {};
}

/** The first string after all that start with a prefix; it ends in a colon, so the next character is a semicolon. */
function afterPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)};`;
}
