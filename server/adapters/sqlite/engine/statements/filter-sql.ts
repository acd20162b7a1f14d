import type { Filter } from '../../../../domain/filter/filter.js';
import type { Microseconds } from '../../../../domain/timestamp.js';
import type { Included } from '../../../../ports/memory-reader.js';
import type { Connection, SqlValue } from '../connection.js';
import { type Condition, liveIs, type MemoryNames, type Rows, sqlConditions, statesOf } from './filter-conditions.js';
import { splitNumbers } from './numbers.js';
import { allOf, condition, type Sql } from './sql.js';

/** The conditions of a read, the rarest first. */
export interface Selection {
  conditions: Condition[];
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
  const conditions = sqlConditions(scope.filter);
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

/** Returns a filter with one condition, of which `rarest` rows are assumed. Returns undefined for any other scope. */
export function selectSole(
  { filter, includeDeleted }: { filter: Filter; includeDeleted: Included },
  rarest: number,
): Selection | undefined {
  const conditions = sqlConditions(filter);
  return conditions.length === 1 && conditions[0]?.rows ? { conditions, rarest, includeDeleted } : undefined;
}

/**
 * Builds the sources of the rows `f` whose memories meet every condition. They scan the rows of the rarest condition and
 * look up the others. The rows of each source are in the order of seq if `isOrdered` returns true.
 */
export function matchingRows(org: number, { conditions, includeDeleted }: Selection): Rows[] {
  const [rarest, ...others] = conditions;
  if (!rarest?.rows) throw new Error('A selection begins with a condition that has rows');
  const names = { seq: 'f.seq', org: 'f.org', live: (table: string) => `${table}.live = f.live` };
  const met = others.map((other) => other.met(names));
  return rarest.rows(org, includeDeleted).map(({ from, where }) => ({ from, where: allOf([where, ...met]) }));
}

/** Builds one SELECT that reads all sources. */
export function selectFrom(columns: string, sources: readonly Rows[]): Sql {
  return {
    text: sources
      .map(({ from, where }) => `SELECT ${columns} FROM ${from.text} WHERE ${where.text}`)
      .join(' UNION ALL '),
    parameters: sources.flatMap(({ from, where }) => [...from.parameters, ...where.parameters]),
  };
}

/** Reports if the rows of each source of `matchingRows` are in the order of seq. */
export function isOrdered({ conditions, includeDeleted }: Selection): boolean {
  return includeDeleted !== true && conditions[0]?.isOrdered === true;
}

/** Builds a condition on memory rows `m`, for scans in an order of their own. */
export function memoryMatches({ conditions, includeDeleted }: Selection): Sql {
  const live = (table: string) =>
    includeDeleted === true ? `${table}.live = (m.deleted_at IS NULL)` : liveIs(table, includeDeleted);
  const names: MemoryNames = { seq: 'm.seq', org: 'm.org', live, row: 'm' };
  return allOf(conditions.map(({ met }) => met(names)));
}

/** Returns the seqs of matching memories, unordered. @param limit maximum number. Default: all */
export function matchingSeqs(connection: Connection, org: number, selection: Selection, limit?: number): number[] {
  const { text, parameters } = selectFrom('f.seq', matchingRows(org, selection));
  if (limit === undefined) return joinedSeqs(connection, text, parameters);
  return joinedSeqs(connection, `${text} LIMIT +?`, [...parameters, limit]);
}

/** Returns the given seqs whose memories match. All must belong to the organization. */
export function matchingAmong(
  connection: Connection,
  org: number,
  selection: Selection,
  seqs: readonly number[],
): number[] {
  const { conditions, includeDeleted } = selection;
  const live = (table: string) => liveIs(table, includeDeleted);
  const given = 'FROM (SELECT ? AS org) o CROSS JOIN json_each(?) j';
  // Reading the memories themselves would take as long as the conditions do.
  const isStateRequired = conditions.some(({ requiresState }) => requiresState);
  const names: MemoryNames = isStateRequired
    ? { seq: 'j.value', org: 'o.org', live }
    : { seq: 'm.seq', org: 'o.org', live, row: 'm' };
  const { text, parameters } = allOf(conditions.map(({ met }) => met(names)));
  const state = statesOf(includeDeleted).join(' OR ');
  const sql = isStateRequired
    ? `SELECT j.value AS seq ${given} WHERE ${text}`
    : `SELECT m.seq ${given} CROSS JOIN memories m ON m.seq = j.value WHERE (${state}) AND ${text}`;
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
  const from = condition('f.seq >= ?', first);
  const sources = matchingRows(org, selection).map((rows) => ({ ...rows, where: allOf([rows.where, from]) }));
  const { text, parameters } = selectFrom('f.seq', sources);
  return joinedSeqs(connection, `${text} LIMIT +?`, [...parameters, limit]);
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

/** Fetches the seqs of a query in one row: one row per seq costs ten times as much. */
export function joinedSeqs(connection: Connection, sql: string, parameters: readonly SqlValue[]): number[] {
  const row = connection.get<{ seqs: string | null }>(`SELECT group_concat(seq) AS seqs FROM (${sql})`, ...parameters);
  return splitNumbers(row?.seqs);
}

/** Counts the rows of a condition. Returns infinity if no index has them, so that the rarest has rows. */
function countRows(
  connection: Connection,
  org: number,
  { rows }: Condition,
  includeDeleted: Included,
  bound: number,
): number {
  if (!rows) return Number.POSITIVE_INFINITY;
  const { text, parameters } = selectFrom('1', rows(org, includeDeleted));
  const sql = `SELECT count(*) AS count FROM (${text} LIMIT +?)`;
  return connection.get<{ count: number }>(sql, ...parameters, bound)?.count ?? 0;
}
