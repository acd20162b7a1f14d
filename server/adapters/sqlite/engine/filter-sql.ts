import type { Filter } from '../../../domain/memory/filter.js';
import { conditionsOf, type FacetCondition } from '../../../domain/memory/memory-facets.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { Included } from '../../../ports/memory-reader.js';
import type { Connection, SqlValue } from './connection.js';
import { splitNumbers } from './numbers.js';
import { allOf, type Sql } from './sql.js';

/** The conditions of a read, the rarest first. */
export interface Selection {
  conditions: FacetCondition[];
  /** Number of memories that meet the first condition. Counting stops at a bound. */
  rarest: number;
  includeDeleted: Included;
}

/** Maximum number of rows counted per condition. Counting more would cost more than a better order saves. */
export const MAX_COUNTED = 5_000;

/** Counts the matches of each condition and sorts the conditions. Returns undefined if the scope has no filter. */
export function select(
  connection: Connection,
  org: number,
  scope: { filter: Filter; includeDeleted: Included },
  bound: number = MAX_COUNTED,
): Selection | undefined {
  const { includeDeleted } = scope;
  const conditions = conditionsOf(scope.filter);
  if (conditions.length === 0) return undefined;
  const counted = conditions
    .map((condition) => ({ condition, rows: countRows(connection, org, condition, includeDeleted, bound) }))
    .sort((a, b) => a.rows - b.rows);
  return {
    conditions: counted.map(({ condition }) => condition),
    rarest: counted[0]?.rows ?? 0,
    includeDeleted,
  };
}

/**
 * Builds the `FROM … WHERE …` of the facet rows `f` whose memories meet every
 * condition. It scans the rows of the rarest condition and looks up the others.
 * The rows are in the order of seq if `isOrdered` returns true.
 */
export function matchingFacets(org: number, { conditions, includeDeleted }: Selection): Sql {
  const [rarest = [], ...others] = conditions;
  const walked = facetIs('f.facet', rarest);
  const looked = facetMatches({ conditions: others });
  return {
    text: `FROM facets f WHERE f.org = ? AND ${liveIs('f', includeDeleted)} AND ${walked.text} AND ${looked.text}`,
    parameters: [org, ...walked.parameters, ...looked.parameters],
  };
}

/** Requires that the memories of facet rows `f` meet all these conditions. */
function facetMatches({ conditions }: Pick<Selection, 'conditions'>): Sql {
  return allOf(
    conditions.map((condition) =>
      exists(condition, (facet) => `g.org = f.org AND g.live = f.live AND ${facet} AND g.seq = f.seq`),
    ),
  );
}

/** Reports if the rows of `matchingFacets` are in the order of seq. */
export function isOrdered({ conditions, includeDeleted }: Selection): boolean {
  return includeDeleted !== true && conditions[0]?.length === 1;
}

/** Builds a condition on memory rows `m`, for scans in an order of their own. */
export function memoryMatches({ conditions, includeDeleted }: Selection): Sql {
  const live = includeDeleted === true ? 'g.live = (m.deleted_at IS NULL)' : liveIs('g', includeDeleted);
  return allOf(
    conditions.map((condition) =>
      exists(condition, (facet) => `g.org = m.org AND ${live} AND ${facet} AND g.seq = m.seq`),
    ),
  );
}

function exists(condition: FacetCondition, where: (facet: string) => string): Sql {
  const { text, parameters } = facetIs('g.facet', condition);
  return { text: `EXISTS (SELECT 1 FROM facets g WHERE ${where(text)})`, parameters };
}

export function liveIs(table: string, includeDeleted: Included): string {
  if (includeDeleted === 'only') return `${table}.live = 0`;
  return includeDeleted ? `${table}.live IN (0, 1)` : `${table}.live = 1`;
}

/** Returns the seqs of all matching memories, unordered. */
export function matchingSeqs(connection: Connection, org: number, selection: Selection): number[] {
  const { text, parameters } = matchingFacets(org, selection);
  return joinedSeqs(connection, `SELECT f.seq ${text}`, parameters);
}

/** Returns the given seqs whose memories match. All must belong to the organization. */
export function matchingAmong(
  connection: Connection,
  org: number,
  selection: Selection,
  seqs: readonly number[],
): number[] {
  const live = liveIs('g', selection.includeDeleted);
  const { text, parameters } = allOf(
    selection.conditions.map((condition) =>
      exists(condition, (facet) => `g.org = o.org AND ${live} AND ${facet} AND g.seq = j.value`),
    ),
  );
  const sql = `SELECT j.value AS seq FROM (SELECT ? AS org) o CROSS JOIN json_each(?) j WHERE ${text}`;
  return joinedSeqs(connection, sql, [org, JSON.stringify(seqs), ...parameters]);
}

/** Returns at most `limit` seqs of matching memories, all at or above `first`, unordered. */
export function matchingFrom(
  connection: Connection,
  org: number,
  selection: Selection,
  first: number,
  limit: number,
): number[] {
  const { text, parameters } = matchingFacets(org, selection);
  return joinedSeqs(connection, `SELECT f.seq ${text} AND f.seq >= ? LIMIT +?`, [...parameters, first, limit]);
}

/** Reports if the order of seq differs from the order of creation. */
export function isUnordered(connection: Connection, org: number): boolean {
  const sql = 'SELECT unordered FROM organizations WHERE key = ?';
  return connection.get<{ unordered: number }>(sql, org)?.unordered === 1;
}

/**
 * Bounds a search by time with a seq. For `>`, memories created at or after `at` have this seq or a higher one. For `<`,
 * memories created at or before `at` have this seq or a lower one. Returns undefined if no memory is in that range.
 */
export function nearestSeq(
  connection: Connection,
  org: number,
  includeDeleted: Included,
  comparison: '>' | '<',
  at: Microseconds,
): number | undefined {
  if (isUnordered(connection, org)) return comparison === '>' ? 0 : Number.MAX_SAFE_INTEGER;
  const direction = comparison === '>' ? 'ASC' : 'DESC';
  const seqs = statesOf(includeDeleted).flatMap((state) => {
    const sql = `SELECT m.seq FROM memories m WHERE ${state} AND m.org = ? AND m.created_at ${comparison}= ?
      ORDER BY m.created_at ${direction} LIMIT 1`;
    return connection.get<{ seq: number }>(sql, org, at)?.seq ?? [];
  });
  if (seqs.length === 0) return undefined;
  return comparison === '>' ? Math.min(...seqs) : Math.max(...seqs);
}

/** Returns a condition for each state of memories that a read includes. Each state has its own indexes. */
export function statesOf(includeDeleted: Included): string[] {
  if (includeDeleted === 'only') return ['m.deleted_at IS NOT NULL'];
  return includeDeleted ? ['m.deleted_at IS NULL', 'm.deleted_at IS NOT NULL'] : ['m.deleted_at IS NULL'];
}

/** Fetches the seqs of a query in one row: one row per seq costs ten times as much. */
export function joinedSeqs(connection: Connection, sql: string, parameters: readonly SqlValue[]): number[] {
  const row = connection.get<{ seqs: string | null }>(`SELECT group_concat(seq) AS seqs FROM (${sql})`, ...parameters);
  return splitNumbers(row?.seqs);
}

function countRows(
  connection: Connection,
  org: number,
  condition: FacetCondition,
  includeDeleted: Included,
  bound: number,
): number {
  const facet = facetIs('f.facet', condition);
  const live = liveIs('f', includeDeleted);
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM facets f WHERE f.org = ? AND ${live} AND ${facet.text} LIMIT +?)`;
  return connection.get<{ count: number }>(sql, org, ...facet.parameters, bound)?.count ?? 0;
}

function facetIs(column: string, condition: FacetCondition): Sql {
  const [only] = condition;
  if (condition.length === 1 && only !== undefined) return { text: `${column} = ?`, parameters: [only] };
  return { text: `${column} IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(condition)] };
}
