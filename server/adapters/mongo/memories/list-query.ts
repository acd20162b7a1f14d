import type { Filter, Sort } from 'mongodb';
import type { ListQuery } from '../../../ports/memory-reader.js';
import type { MemoryDocument } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import { endOfDocumentIds } from '../engine/memory-documents.js';
import { beyond, type Direction } from '../engine/paging.js';

interface Order {
  time: 'createdAt' | 'updatedAt';
  direction: Direction;
}

const ORDERS: Record<ListQuery['order'], Order> = {
  oldest: { time: 'createdAt', direction: 1 },
  newest: { time: 'createdAt', direction: -1 },
  changed: { time: 'updatedAt', direction: 1 },
  lastChanged: { time: 'updatedAt', direction: -1 },
};

/** Returns the filter and order of a page of memories. */
export function listQuery(organizationId: string, query: ListQuery): { filter: Filter<MemoryDocument>; sort: Sort } {
  const { time, direction } = ORDERS[query.order];
  const bounds = [
    ...(query.since === undefined ? [] : [{ [time]: { $gte: query.since } }]),
    ...(query.until === undefined ? [] : [{ [time]: { $lt: query.until } }]),
    ...beyond(
      time,
      direction,
      query.after && { ...query.after, id: direction === 1 ? endOfDocumentIds(query.after.id) : query.after.id },
    ),
  ];
  const scope = scopeFilter(organizationId, query);
  return {
    filter: bounds.length === 0 ? scope : { $and: [scope, ...bounds] },
    sort: { [time]: direction, _id: direction },
  };
}
