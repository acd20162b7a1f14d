import type { ListQuery } from '../../../../ports/memory-reader.js';
import type { Connection } from '../../engine/connection.js';
import { statesOf } from '../../engine/statements/filter-conditions.js';
import {
  isOrdered,
  isUnordered,
  MAX_COUNTED,
  matchingRows,
  memoryMatches,
  nearestSeq,
  type Selection,
  select,
  selectFrom,
} from '../../engine/statements/filter-sql.js';
import { allOf, condition, type Sql } from '../../engine/statements/sql.js';

/** A row of a list before its memory is read. So content that is not needed is neither loaded nor sorted. */
export interface ListedRow {
  seq: number;
  updated_at: number;
  /** Size of the content in UTF-8. */
  content_bytes: number;
  /** Size of the metadata in UTF-8. */
  metadata_bytes: number;
}

const COLUMNS_BESIDE_SEQ =
  'm.id, m.created_at, m.updated_at, octet_length(m.content) AS content_bytes, ' +
  'octet_length(m.metadata) AS metadata_bytes';
const LISTED_COLUMNS = `m.seq, ${COLUMNS_BESIDE_SEQ}`;

/** The order of a list in SQL. */
interface Order {
  time: 'created_at' | 'updated_at';
  /** Comparison of a later row of the list with an earlier one. */
  after: '>' | '<';
  direction: 'ASC' | 'DESC';
}

const ORDERS: Record<ListQuery['order'], Order> = {
  oldest: { time: 'created_at', after: '>', direction: 'ASC' },
  newest: { time: 'created_at', after: '<', direction: 'DESC' },
  changed: { time: 'updated_at', after: '>', direction: 'ASC' },
  lastChanged: { time: 'updated_at', after: '<', direction: 'DESC' },
};

/**
 * The method that reads a list with a filter:
 * - `facet`: scan the rows of the rarest condition up to the limit, if they are in the order of creation
 * - `gather`: read all matching memories and sort them, if they are few
 * - `walk`: scan the memories in the order of the list and check the conditions, if many match
 */
type Plan = 'facet' | 'gather' | 'walk';

/** Builds the statement that reads the rows of a page in its order. */
export function listSql(connection: Connection, org: number, query: ListQuery): Sql {
  const selection = select(connection, org, query);
  if (!selection) return walk(org, query, undefined);
  const plan = planList(connection, org, query, selection);
  if (plan === 'walk') return walk(org, query, selection);
  return plan === 'facet' ? alongFacet(connection, org, query, selection) : gather(org, query, selection);
}

function planList(connection: Connection, org: number, query: ListQuery, selection: Selection): Plan {
  if (ORDERS[query.order].time === 'created_at' && isOrdered(selection) && !isUnordered(connection, org))
    return 'facet';
  if (selection.rarest >= MAX_COUNTED) return 'walk';
  // A poller near the end of the feed has few memories ahead, even if many match.
  return countAhead(connection, org, query, selection.rarest + 1) <= selection.rarest ? 'walk' : 'gather';
}

function countAhead(connection: Connection, org: number, query: ListQuery, limit: number): number {
  const ahead = position(org, query);
  const counts = statesOf(query.includeDeleted).map((state) => {
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM memories m WHERE ${state} AND ${ahead.text} LIMIT +?)`;
    return connection.get<{ count: number }>(sql, ...ahead.parameters, limit)?.count ?? 0;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Scans an index per state, since active and deleted memories have separate ones, and merges the two pages. */
function walk(org: number, query: ListQuery, selection: Selection | undefined): Sql {
  const ahead = position(org, query);
  const matches = selection ? memoryMatches(selection) : allOf([]);
  const pages = statesOf(query.includeDeleted).map((state) => ({
    text:
      `SELECT * FROM (SELECT ${LISTED_COLUMNS} FROM memories m ` +
      `WHERE ${state} AND ${ahead.text} AND ${matches.text} ${inOrder(query, 'm.')} LIMIT +?)`,
    parameters: [...ahead.parameters, ...matches.parameters, query.limit],
  }));
  const [only] = pages;
  if (only && pages.length === 1) return only;
  return {
    text: `${pages.map(({ text }) => text).join(' UNION ALL ')} ${inOrder(query)} LIMIT +?`,
    parameters: [...pages.flatMap(({ parameters }) => parameters), query.limit],
  };
}

function gather(org: number, query: ListQuery, selection: Selection): Sql {
  const matching = selectFrom('f.seq', matchingRows(org, selection));
  const ahead = position(org, query);
  return {
    text:
      `SELECT ${LISTED_COLUMNS} FROM (${matching.text}) k ` +
      `CROSS JOIN memories m ON m.seq = k.seq WHERE ${ahead.text} ${inOrder(query, 'm.')} LIMIT +?`,
    parameters: [...matching.parameters, ...ahead.parameters, query.limit],
  };
}

/** Sorts by seq, which within an organization is the order of creation. The engine merges the sources in this order. */
function alongFacet(connection: Connection, org: number, query: ListQuery, selection: Selection): Sql {
  const ahead = position(org, query);
  const range = seqRange(connection, org, query);
  if (!range) return NO_MEMORY;
  const sources = matchingRows(org, selection).map(({ from, where }) => ({
    from: { ...from, text: `${from.text} CROSS JOIN memories m ON m.seq = f.seq` },
    where: allOf([where, condition('f.seq BETWEEN ? AND ?', ...range), ahead]),
  }));
  const { text, parameters } = selectFrom(`f.seq, ${COLUMNS_BESIDE_SEQ}`, sources);
  return {
    text: `${text} ORDER BY 1 ${ORDERS[query.order].direction} LIMIT +?`,
    parameters: [...parameters, query.limit],
  };
}

/** Returns the first and the last seq that a list by creation can contain; undefined if it is empty. */
function seqRange(
  connection: Connection,
  org: number,
  { order, since, until, after, includeDeleted }: ListQuery,
): [first: number, last: number] | undefined {
  const isAscending = ORDERS[order].direction === 'ASC';
  const from = Math.max(since ?? -Infinity, (isAscending ? after?.at : undefined) ?? -Infinity);
  const to = Math.min(until ?? Infinity, (isAscending ? undefined : after?.at) ?? Infinity);
  const first = Number.isFinite(from) ? nearestSeq(connection, org, includeDeleted, '>', from) : 0;
  const last = Number.isFinite(to) ? nearestSeq(connection, org, includeDeleted, '<', to) : Number.MAX_SAFE_INTEGER;
  return first === undefined || last === undefined ? undefined : [first, last];
}

const NO_MEMORY: Sql = { text: `SELECT ${LISTED_COLUMNS} FROM memories m WHERE FALSE`, parameters: [] };

/**
 * Limits the rows to those after the reader's position: by organization, bounds and position. Leaves out a bound that
 * the position implies: the engine seeks by one of them, and would walk from the bound to each later page.
 */
function position(org: number, { order, since, until, after }: ListQuery): Sql {
  const { time, after: comparison, direction } = ORDERS[order];
  const conditions = [condition('m.org = ?', org)];
  const isImplied = (bound: number, by: 'ASC' | 'DESC') =>
    after !== undefined && direction === by && (by === 'ASC' ? after.at >= bound : after.at < bound);
  if (since !== undefined && !isImplied(since, 'ASC')) conditions.push(condition(`m.${time} >= ?`, since));
  if (until !== undefined && !isImplied(until, 'DESC')) conditions.push(condition(`m.${time} < ?`, until));
  if (after) conditions.push(condition(`(m.${time}, m.id) ${comparison} (?, ?)`, after.at, after.id));
  return allOf(conditions);
}

function inOrder({ order }: ListQuery, table = ''): string {
  const { time, direction } = ORDERS[order];
  return `ORDER BY ${table}${time} ${direction}, ${table}id ${direction}`;
}
