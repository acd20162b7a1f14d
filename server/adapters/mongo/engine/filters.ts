import type { Filter } from 'mongodb';
import { conditionsOf } from '../../../domain/memory/memory-facets.js';
import type { ReadScope } from '../../../ports/memory-reader.js';
import type { MemoryDocument } from './collections.js';

/** Returns the filter of a read's memories, in a form that `find`, `$match` and `$vectorSearch` accept. */
export function scopeFilter(organizationId: string, scope: ReadScope): Filter<MemoryDocument> {
  const conditions = conditionsOf(scope.filter).map((anyOf) => ({ facets: { $in: [...anyOf] } }));
  return {
    org: organizationId,
    // Lists both states, so that an index on them keeps its order.
    live: scope.includeDeleted ? { $in: [true, false] } : true,
    ...(conditions.length > 0 && { $and: conditions }),
  };
}
