import { conditionsOf, type FacetCondition } from '../../../domain/memory/memory-facets.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { ReadScope } from '../../../ports/store.js';
import type { Connection, SqlValue } from './connection.js';
import { splitNumbers } from './numbers.js';
import { allOf, type Sql } from './sql.js';

/** The conditions of a read, the rarest first. */
export interface Selection {
  conditions: FacetCondition[];
  /** How many memories meet the first condition, counted up to a bound. */
  rarest: number;
  includeDeleted: boolean;
}

/** Counting further costs more than a better order could save. */
export const COUNTED = 5_000;

/** Undefined when every memory is meant. */
export function select(
  connection: Connection,
  org: number,
  scope: ReadScope,
  bound: number = COUNTED,
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
 * `FROM … WHERE …` of the facet rows `f` whose memories meet every condition.
 * It walks the rows of the rarest condition and looks the others up; the rows
 * come in the order of seq where `isOrdered` says so.
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

/** A condition on rows `f` of facets: that their memories meet all these conditions. */
function facetMatches({ conditions }: Pick<Selection, 'conditions'>): Sql {
  return allOf(
    conditions.map((condition) =>
      exists(condition, (facet) => `g.org = f.org AND g.live = f.live AND ${facet} AND g.seq = f.seq`),
    ),
  );
}

/** Whether `matchingFacets` gives its rows in the order of seq. */
export function isOrdered({ conditions, includeDeleted }: Selection): boolean {
  return !includeDeleted && conditions[0]?.length === 1;
}

/** A condition on rows `m` of memories, for walking those in an order of their own. */
export function memoryMatches({ conditions, includeDeleted }: Selection): Sql {
  const live = includeDeleted ? 'g.live = (m.deleted_at IS NULL)' : 'g.live = 1';
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

export function liveIs(table: string, includeDeleted: boolean): string {
  return includeDeleted ? `${table}.live IN (0, 1)` : `${table}.live = 1`;
}

/** The seqs of all memories that match, in no order. */
export function matchingSeqs(connection: Connection, org: number, selection: Selection): number[] {
  const { text, parameters } = matchingFacets(org, selection);
  return joinedSeqs(connection, `SELECT f.seq ${text}`, parameters);
}

/** Those of the given seqs, all of the organization, whose memories match. */
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

/** The seqs from a first one on whose memories match, at most so many, in no order. */
export function matchingFrom(
  connection: Connection,
  org: number,
  selection: Selection,
  first: number,
  most: number,
): number[] {
  const { text, parameters } = matchingFacets(org, selection);
  return joinedSeqs(connection, `SELECT f.seq ${text} AND f.seq >= ? LIMIT +?`, [...parameters, first, most]);
}

/** Whether the order of seq is another one than the order of creation. */
export function isUnordered(connection: Connection, org: number): boolean {
  const sql = 'SELECT unordered FROM organizations WHERE key = ?';
  return connection.get<{ unordered: number }>(sql, org)?.unordered === 1;
}

/** A seq before which no memory is from a time on, or after which none is up to it: if there is an order, the first. */
export function nearestSeq(
  connection: Connection,
  org: number,
  includeDeleted: boolean,
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

/** The states of memories that a read covers, each of which has its own indexes. */
export function statesOf(includeDeleted: boolean): string[] {
  return includeDeleted ? ['m.deleted_at IS NULL', 'm.deleted_at IS NOT NULL'] : ['m.deleted_at IS NULL'];
}

/** The seqs that a query gives, in one row: fetching them one by one costs ten times as much. */
export function joinedSeqs(connection: Connection, sql: string, parameters: readonly SqlValue[]): number[] {
  const row = connection.get<{ seqs: string | null }>(`SELECT group_concat(seq) AS seqs FROM (${sql})`, ...parameters);
  return splitNumbers(row?.seqs);
}

function countRows(
  connection: Connection,
  org: number,
  condition: FacetCondition,
  includeDeleted: boolean,
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
