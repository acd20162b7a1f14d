import type { Document } from 'mongodb';
import type { Position } from '../../../domain/page.js';

/** Ascending or descending, as sorts say it. */
export type Direction = 1 | -1;

/**
 * Conditions of what comes after a position in a listing by a time and the
 * id. The first alone bounds a walk along the index; the second is exact
 * where times are equal.
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

/** A page of a listing by a time and the id: its filter and its options. */
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
    options: { sort: { [time]: direction, _id: direction }, limit },
  };
}
