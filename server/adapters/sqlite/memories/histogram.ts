import { facetRange } from '../../../domain/memory/facet.js';
import type { FacetSeries, Histogram, HistogramQuery } from '../../../ports/memory-reader.js';
import { liveIs, matchingSeqs, select, statesOf } from '../engine/filter-sql.js';
import { splitNumbers } from '../engine/numbers.js';
import { facetedValue, type StatsScope } from './stats.js';

type Space = Omit<StatsScope, 'organizations'>;

const COLUMNS = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** The interval of each memory that is counted: seq → index. */
type Intervals = ReadonlyMap<number, number>;

/** Counts in the indexes by time and by facet, and reads no memory. */
export function readHistogram(space: Space, query: HistogramQuery): Histogram {
  const selection = select(space.connection, space.org, query);
  if (!selection && !query.facet) return { counts: countAll(space, query) };
  const all = intervalsOf(space, query);
  space.assertWanted();
  const intervals = selection ? among(all, matchingSeqs(space.connection, space.org, selection)) : all;
  const counts = countEach(intervals.values(), query);
  if (!query.facet) return { counts };
  space.assertWanted();
  return { counts, series: seriesOf(space, query, query.facet, intervals) };
}

function countAll(space: Space, query: HistogramQuery): number[] {
  const counted = perInterval<{ count: number }>(space, query, 'count(*) AS count');
  return query.starts.map((_, index) => counted.reduce((sum, rows) => sum + (rows[index]?.count ?? 0), 0));
}

function intervalsOf(space: Space, query: HistogramQuery): Intervals {
  const states = perInterval<{ seqs: string | null }>(space, query, 'group_concat(m.seq) AS seqs');
  const intervals = new Map<number, number>();
  for (const rows of states) {
    for (const [index, { seqs }] of rows.entries()) for (const seq of splitNumbers(seqs)) intervals.set(seq, index);
  }
  return intervals;
}

/** Aggregates the memories of each interval, for each state. Every state has its own index by time. */
function perInterval<Row>(space: Space, query: HistogramQuery, columns: string): Row[][] {
  const { connection, org, assertWanted } = space;
  const time = COLUMNS[query.time];
  return statesOf(query.includeDeleted).map((state) => {
    const sql = `SELECT ${columns} FROM memories m
      WHERE ${state} AND m.org = ? AND m.${time} >= ? AND m.${time} < ?`;
    return query.starts.flatMap((start, index) => {
      assertWanted();
      const from = Math.max(start, query.since);
      const row = connection.get<Row>(sql, org, from, query.starts[index + 1] ?? query.until);
      return row === undefined ? [] : [row];
    });
  });
}

function among(intervals: Intervals, seqs: readonly number[]): Intervals {
  return new Map(
    seqs.flatMap((seq): [number, number][] => {
      const index = intervals.get(seq);
      return index === undefined ? [] : [[seq, index]];
    }),
  );
}

function seriesOf(
  { connection, org, assertWanted }: Space,
  query: HistogramQuery,
  { key, values }: { key: string; values: number },
  intervals: Intervals,
): FacetSeries[] {
  const sql = `SELECT f.facet, group_concat(f.seq) AS seqs FROM facets f
    WHERE f.org = ? AND f.facet >= ? AND f.facet < ? AND ${liveIs('f', query.includeDeleted)} GROUP BY f.facet`;
  const rows = connection.all<{ facet: string; seqs: string }>(sql, org, ...facetRange(key));
  assertWanted();
  return rows
    .map(({ facet, seqs }) => ({ facet, seqs: splitNumbers(seqs).filter((seq) => intervals.has(seq)) }))
    .filter(({ seqs }) => seqs.length > 0)
    .sort((a, b) => b.seqs.length - a.seqs.length || (a.facet < b.facet ? -1 : 1))
    .slice(0, values)
    .map(({ facet, seqs }) => ({
      value: facetedValue(connection, key, { facet, seq: seqs[0] ?? 0 }),
      count: seqs.length,
      counts: countEach(
        seqs.map((seq) => intervals.get(seq) ?? 0),
        query,
      ),
    }));
}

function countEach(indexes: Iterable<number>, { starts }: HistogramQuery): number[] {
  const counts = starts.map(() => 0);
  for (const index of indexes) counts[index] = (counts[index] ?? 0) + 1;
  return counts;
}
