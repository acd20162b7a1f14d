import type { Microseconds } from './timestamp.js';

/** A place in a list that is ordered by time and id. */
export interface Position {
  at: Microseconds;
  /** UUID. */
  id: string;
}

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Whether more items follow the last one. */
  hasMore: boolean;
  /** The position of the last item; undefined for an empty page. */
  last?: Position;
}

/**
 * Makes a page of what a store found.
 *
 * @param found at most `limit + 1` items: the additional one shows that more follow
 */
export function pageOf<Item>(found: readonly Item[], limit: number, positionOf: (item: Item) => Position): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, hasMore: found.length > limit, ...(last && { last: positionOf(last) }) };
}
