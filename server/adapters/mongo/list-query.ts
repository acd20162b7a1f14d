import type { Filter, Sort } from 'mongodb';
import type { ListQuery } from '../../ports/store.js';
import type { MemoryDocument } from './collections.js';
import { scopeFilter } from './filters.js';

interface Order {
  time: 'createdAt' | 'updatedAt';
  direction: 1 | -1;
}

const ORDERS: Record<ListQuery['order'], Order> = {
  oldest: { time: 'createdAt', direction: 1 },
  newest: { time: 'createdAt', direction: -1 },
  changed: { time: 'updatedAt', direction: 1 },
};

/** The memories of a page, and their order. */
export function listQuery(organizationId: string, query: ListQuery): { filter: Filter<MemoryDocument>; sort: Sort } {
  const { time, direction } = ORDERS[query.order];
  const bounds = [
    ...(query.since === undefined ? [] : [{ [time]: { $gte: query.since } }]),
    ...(query.after ? beyond(time, direction, query.after) : []),
  ];
  const scope = scopeFilter(organizationId, query);
  return {
    filter: bounds.length === 0 ? scope : { $and: [scope, ...bounds] },
    sort: { [time]: direction, _id: direction },
  };
}

/** The first condition alone bounds a walk along the index; the second is exact where times are equal. */
function beyond(
  time: Order['time'],
  direction: Order['direction'],
  { at, id }: NonNullable<ListQuery['after']>,
): Filter<MemoryDocument>[] {
  const later = direction === 1 ? '$gt' : '$lt';
  return [
    { [time]: direction === 1 ? { $gte: at } : { $lte: at } },
    { $or: [{ [time]: { [later]: at } }, { [time]: at, _id: { [later]: id } }] },
  ];
}
