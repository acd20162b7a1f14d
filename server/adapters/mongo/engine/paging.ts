import type { Document } from 'mongodb';
import type { Position } from '../../../domain/page.js';
import { READ_TIMEOUT_MS } from './read-options.js';

/** Ascending (1) or descending (-1), as in sorts. */
export type Direction = 1 | -1;

/**
 * Returns the conditions for entries after a position, in a listing by time and id. The first condition bounds the
 * index scan; the second one is exact for equal times. The database intersects the first one with other bounds of the
 * time, since no time is an array.
 */
export function beyond(time: string, direction: Direction, position: Position | undefined): Document[] {
  if (!position) return [];
  const { at, id } = position;
  const later = direction === 1 ? '$gt' : '$lt';
  return [
    { [time]: { [`${later}e`]: at } },
    { $or: [{ [time]: { [later]: at } }, { [time]: at, _id: { [later]: id } }] },
  ];
}

/**
 * Returns the options of a read of at most `limit` documents in one batch. By default the first batch has at most 101 of
 * them.
 */
export function limitedTo(limit: number): { limit: number; batchSize: number; maxTimeMS: number } {
  // A batch of `limit` documents would leave the cursor open.
  return { limit, batchSize: limit + 1, maxTimeMS: READ_TIMEOUT_MS };
}

/** Returns the filter and options of a page, in a listing by time and id. */
export function page(
  scope: Document,
  {
    time,
    direction,
    after,
    limit,
  }: { time: string; direction: Direction; after?: Position | undefined; limit: number },
) {
  return {
    filter: { $and: [scope, ...beyond(time, direction, after)] },
    options: { sort: { [time]: direction, _id: direction }, ...limitedTo(limit) },
  };
}
