import type { Position } from '../../ports/store.js';

/** A page of a listing of management, and where the next one starts. */
export interface Listed<Item> {
  items: Item[];
  hasMore: boolean;
  /** The place of the last item where more follow. */
  next?: Position;
}

/** Cuts what was asked for with one more than the limit. */
export function toListed<Item>(found: readonly Item[], limit: number, placeOf: (item: Item) => Position): Listed<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit;
  return { items, hasMore, ...(hasMore && last && { next: placeOf(last) }) };
}
