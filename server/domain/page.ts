import type { Microseconds } from './timestamp.js';

/** A place in a list that is ordered by time and id. */
export interface Position {
  at: Microseconds;
  /** UUID. */
  id: string;
}

/** Which page of a list is wanted. */
export interface PageQuery {
  /** Exclusive: the position of the last item already read. */
  after?: Position;
  limit: number;
}

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Whether more items follow the last one. */
  hasMore: boolean;
  /** The position of the last item; undefined for an empty page. */
  last?: Position;
}

/** Asks a store for one item more than the page holds, which shows whether more follow. */
export function withOneMore<Query extends { limit: number }>(query: Query): Query {
  return { ...query, limit: query.limit + 1 };
}

/**
 * Makes a page of what a store found.
 *
 * @param found items of which at most `limit` belong to the page: an additional one shows that more follow
 */
export function pageOf<Item>(found: readonly Item[], limit: number, positionOf: (item: Item) => Position): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, hasMore: found.length > limit, ...(last && { last: positionOf(last) }) };
}

/** Compares two positions of a list that is ordered by time and id, ascending. */
export function byPosition(one: Position, other: Position): number {
  if (one.at !== other.at) return one.at - other.at;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

/** The position in a list that is ordered by creation. */
export function byCreation({ createdAt, id }: { createdAt: Microseconds; id: string }): Position {
  return { at: createdAt, id };
}
