import type { Filter } from '../../../../domain/filter/filter.js';
import { conditionsOf, type FacetCondition } from '../../../../domain/filter/memory-facets.js';
import type { Bound, RangeCondition, TimeCondition, WhereCondition } from '../../../../domain/filter/where.js';
import type { Included } from '../../../../ports/memory-reader.js';
import type { SqlValue } from '../connection.js';
import { allOf, condition, type Sql } from './sql.js';

/** Names of one memory in a statement. */
export interface MemoryNames {
  seq: string;
  org: string;
  /** Returns the condition that a table of facets has the memory's own state, or one that the read includes. */
  live: (table: string) => string;
  /** The row in `memories`, if the statement reads it. */
  row?: string;
}

/** The table of some rows `f`, and the condition that they meet. The rows have `seq`, `org` and `live`. */
export interface Rows {
  from: Sql;
  where: Sql;
}

/** A condition of a read, as SQL. */
export interface Condition {
  /** Builds the sources that together have each memory once that meets the condition. Undefined if no index has them. */
  rows?: (org: number, included: Included) => Rows[];
  /** True if the rows of one state are in the order of seq. */
  isOrdered: boolean;
  /** True if `met` also requires the organization, and the state by `live`. */
  requiresState?: boolean;
  /** Requires that a memory meets the condition. */
  met: (memory: MemoryNames) => Sql;
}

/** Returns the conditions of a filter, at least one of which has `rows`. Empty if every memory matches. */
export function sqlConditions(filter: Filter): Condition[] {
  const conditions = [...conditionsOf(filter).map(hasFacet), ...(filter.where ?? []).map(whereCondition)];
  return conditions.length === 0 || conditions.some(({ rows }) => rows) ? conditions : [EVERY_MEMORY, ...conditions];
}

/** Returns the condition that `table.live` is a state that the read includes. */
export function liveIs(table: string, includeDeleted: Included): string {
  if (includeDeleted === 'only') return `${table}.live = 0`;
  return includeDeleted ? `${table}.live IN (0, 1)` : `${table}.live = 1`;
}

/** Returns a condition for each state of memories that a read includes. Each state has its own indexes. */
export function statesOf(includeDeleted: Included): string[] {
  if (includeDeleted === 'only') return ['m.deleted_at IS NOT NULL'];
  return includeDeleted ? ['m.deleted_at IS NULL', 'm.deleted_at IS NOT NULL'] : ['m.deleted_at IS NULL'];
}

const EVERY_MEMORY: Condition = {
  isOrdered: false,
  rows: (org, included) => [memoryRows(org, included, allOf([]))],
  met: () => allOf([]),
};

function whereCondition(where: WhereCondition): Condition {
  if (where.kind === 'time') return timeCondition(where);
  if (where.kind === 'range') return hasValue(where.key, rangeIs(where));
  if (where.kind === 'noneOf')
    return not(hasFacet(conditionsOf({ metadata: [{ key: where.key, anyOf: where.values }] })[0]));
  const exists = hasValue(where.key, () => []);
  return where.exists ? exists : not(exists);
}

function not({ met }: Condition): Condition {
  return {
    isOrdered: false,
    met: (memory) => {
      const { text, parameters } = met(memory);
      return { text: `NOT ${text}`, parameters };
    },
  };
}

function hasFacet(facets: FacetCondition = []): Condition {
  const is = (column: string) => facetIs(column, facets);
  return {
    isOrdered: facets.length === 1,
    requiresState: true,
    rows: (org, included) => {
      const where = allOf([condition('f.org = ?', org), condition(liveIs('f', included)), is('f.facet')]);
      return [
        { from: condition('facets f'), where },
        { from: condition('metadata_backlog f'), where: allOf([where, condition("f.key = ''")]) },
      ];
    },
    met: ({ seq, org, live }) => {
      const { text, parameters } = is('g.facet');
      const where = `g.org = ${org} AND ${live('g')} AND ${text} AND g.seq = ${seq}`;
      return anyOf(
        { text: `facets g WHERE ${where}`, parameters },
        { text: `metadata_backlog g WHERE ${where} AND g.key = ''`, parameters },
      );
    },
  };
}

function facetIs(column: string, facets: FacetCondition): Sql {
  const [only] = facets;
  if (facets.length === 1 && only !== undefined) return { text: `${column} = ?`, parameters: [only] };
  return { text: `${column} IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(facets)] };
}

function hasValue(key: string, valueIs: (column: string) => Sql[]): Condition {
  return {
    isOrdered: false,
    rows: (org, included) => {
      const state = [condition('f.org = ?', org), condition(liveIs('f', included))];
      const where = allOf([...state, condition('f.key = ?', key), ...valueIs('f.value')]);
      return [
        { from: condition('metadata_values f'), where },
        { from: condition('metadata_backlog f'), where: allOf([where, condition("f.facet = ''")]) },
      ];
    },
    met: ({ seq, org, live }) => {
      const { text, parameters } = allOf([condition('v.key = ?', key), ...valueIs('v.value')]);
      const where = `v.seq = ${seq} AND ${text}`;
      return anyOf(
        { text: `metadata_values v WHERE ${where}`, parameters },
        {
          text: `metadata_backlog v WHERE ${where} AND v.org = ${org} AND ${live('v')} AND v.facet = ''`,
          parameters,
        },
      );
    },
  };
}

/** Requires a row in one of two tables. */
function anyOf(one: Sql, other: Sql): Sql {
  return {
    text: `EXISTS (SELECT 1 FROM ${one.text} UNION ALL SELECT 1 FROM ${other.text})`,
    parameters: [...one.parameters, ...other.parameters],
  };
}

/** Bounds the values on both sides, so that they are of one type: numbers are below all strings. */
function rangeIs({ above, below }: RangeCondition): (column: string) => Sql[] {
  const isText = typeof (above ?? below)?.value === 'string';
  const lowest = isText ? [">= ''"] : [];
  const highest = isText ? [] : ["< ''"];
  return (column) => [
    ...(above ? [boundIs(column, '>', above)] : lowest.map((text) => condition(`${column} ${text}`))),
    ...(below ? [boundIs(column, '<', below)] : highest.map((text) => condition(`${column} ${text}`))),
  ];
}

function boundIs(column: string, comparison: '<' | '>', { value, inclusive }: Bound): Sql {
  return condition(`${column} ${comparison}${inclusive ? '=' : ''} ?`, value);
}

const COLUMNS = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

function timeCondition(where: TimeCondition): Condition {
  return {
    isOrdered: false,
    rows: (org, included) => [memoryRows(org, included, timeIs('m', where))],
    met: ({ seq, row }) => {
      if (row !== undefined) return timeIs(row, where);
      const { text, parameters } = timeIs('t', where);
      return { text: `EXISTS (SELECT 1 FROM memories t WHERE t.seq = ${seq} AND ${text})`, parameters };
    },
  };
}

function timeIs(table: string, { field, from, before, anyOf, noneOf }: TimeCondition): Sql {
  const column = `${table}.${COLUMNS[field]}`;
  const optional = (text: string, value: SqlValue | undefined) =>
    value === undefined ? [] : [condition(`${column} ${text}`, value)];
  return allOf([
    ...optional('>= ?', from),
    ...optional('< ?', before),
    ...optional('IN (SELECT value FROM json_each(?))', anyOf && JSON.stringify(anyOf)),
    ...optional('NOT IN (SELECT value FROM json_each(?))', noneOf && JSON.stringify(noneOf)),
  ]);
}

function memoryRows(org: number, included: Included, { text, parameters }: Sql): Rows {
  const states = statesOf(included).map(
    (state) =>
      `SELECT m.seq, m.org, (m.deleted_at IS NULL) AS live FROM memories m WHERE ${state} AND m.org = ? AND ${text}`,
  );
  const from = { text: `(${states.join(' UNION ALL ')}) f`, parameters: states.flatMap(() => [org, ...parameters]) };
  return { from, where: allOf([]) };
}
