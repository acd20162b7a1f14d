import type { ReadScope } from '../../ports/store.js';
import type { Connection, SqlValue } from './connection.js';
import { conditionsOf, type FacetCondition } from './rows.js';

/** A piece of SQL and what its question marks stand for. */
export interface Sql {
  text: string;
  parameters: SqlValue[];
}

/** The conditions of a read, the rarest first. */
export interface Selection {
  conditions: FacetCondition[];
  /** How many rows the first condition has, counted up to COUNTED. */
  rarest: number;
  includeDeleted: boolean;
}

/** Counting further would cost more than a better order could save. */
export const COUNTED = 5_000;

/** Undefined when every memory is meant. */
export function select(connection: Connection, org: number, scope: ReadScope): Selection | undefined {
  const { includeDeleted } = scope;
  const conditions = conditionsOf(scope.filter);
  if (conditions.length === 0) return undefined;
  const counted = conditions
    .map((condition) => ({ condition, rows: countRows(connection, org, condition, includeDeleted) }))
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
  const looked = others.map((condition) => {
    const facet = facetIs('g.facet', condition);
    return {
      text: `EXISTS (SELECT 1 FROM facets g WHERE g.org = f.org AND g.live = f.live AND ${facet.text} AND g.seq = f.seq)`,
      parameters: facet.parameters,
    };
  });
  const live = includeDeleted ? 'f.live IN (0, 1)' : 'f.live = 1';
  return {
    text: ['FROM facets f WHERE f.org = ?', live, walked.text, ...looked.map(({ text }) => text)].join(' AND '),
    parameters: [org, ...walked.parameters, ...looked.flatMap(({ parameters }) => parameters)],
  };
}

/** Whether `matchingFacets` gives its rows in the order of seq. */
export function isOrdered({ conditions, includeDeleted }: Selection): boolean {
  return !includeDeleted && conditions[0]?.length === 1;
}

/** A condition on rows `m` of memories, for walking those in an order of their own. */
export function memoryMatches({ conditions, includeDeleted }: Selection): Sql {
  const live = includeDeleted ? 'g.live = (m.deleted_at IS NULL)' : 'g.live = 1';
  const looked = conditions.map((condition) => {
    const facet = facetIs('g.facet', condition);
    return {
      text: `EXISTS (SELECT 1 FROM facets g WHERE g.org = m.org AND ${live} AND ${facet.text} AND g.seq = m.seq)`,
      parameters: facet.parameters,
    };
  });
  return {
    text: looked.map(({ text }) => text).join(' AND '),
    parameters: looked.flatMap(({ parameters }) => parameters),
  };
}

/** The seqs of all memories that match, in no order. */
export function matchingSeqs(connection: Connection, org: number, selection: Selection): number[] {
  const { text, parameters } = matchingFacets(org, selection);
  // One row for all of them: fetching rows one by one costs ten times as much.
  const row = connection.get<{ seqs: string | null }>(`SELECT group_concat(f.seq) AS seqs ${text}`, ...parameters);
  return splitNumbers(row?.seqs);
}

export function countMatching(connection: Connection, org: number, selection: Selection): number {
  const { text, parameters } = matchingFacets(org, selection);
  return connection.get<{ count: number }>(`SELECT count(*) AS count ${text}`, ...parameters)?.count ?? 0;
}

/** What `group_concat` made of integers. */
export function splitNumbers(joined: string | null | undefined): number[] {
  return joined ? joined.split(',').map(Number) : [];
}

function countRows(connection: Connection, org: number, condition: FacetCondition, includeDeleted: boolean): number {
  const facet = facetIs('facet', condition);
  const live = includeDeleted ? 'live IN (0, 1)' : 'live = 1';
  const sql =
    'SELECT count(*) AS count FROM ' +
    `(SELECT 1 FROM facets WHERE org = ? AND ${live} AND ${facet.text} LIMIT ${COUNTED})`;
  return connection.get<{ count: number }>(sql, org, ...facet.parameters)?.count ?? 0;
}

function facetIs(column: string, condition: FacetCondition): Sql {
  const [only] = condition;
  if (condition.length === 1 && only !== undefined) return { text: `${column} = ?`, parameters: [only] };
  return { text: `${column} IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(condition)] };
}
