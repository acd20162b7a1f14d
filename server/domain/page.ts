import type { Microseconds } from './timestamp.js';

/** A position in a list that is ordered by time and id. */
export interface Position {
  at: Microseconds;
  /** UUID. */
  id: string;
}

/** Selects a page of a list. */
export interface PageQuery {
  /** Exclusive: position of the last item of the previous page. */
  after?: Position;
  limit: number;
}

export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  /** Position of the last item; undefined for an empty page. */
  last?: Position;
}

/** Requests one item more than the page contains. The additional item shows that more items follow. */
export function withOneMore<Query extends { limit: number }>(query: Query): Query {
  return { ...query, limit: query.limit + 1 };
}

/**
 * Makes a page from the items of a store.
 *
 * @param found result of a query from `withOneMore`
 */
export function pageOf<Item>(found: readonly Item[], limit: number, positionOf: (item: Item) => Position): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, hasMore: found.length > limit, ...(last && { last: positionOf(last) }) };
}

/** Compares two positions, for an ascending sort. */
export function byPosition(one: Position, other: Position): number {
  if (one.at !== other.at) return one.at - other.at;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

/** Returns the position of an item in a list that is ordered by creation. */
export function byCreation({ createdAt, id }: { createdAt: Microseconds; id: string }): Position {
  return { at: createdAt, id };
}
