import type { Filter } from 'mongodb';
import type { Filter as MemoryFilter } from '../../../domain/memory/filter.js';
import { conditionsOf } from '../../../domain/memory/memory-facets.js';
import type { Included } from '../../../ports/memory-reader.js';
import type { MemoryDocument } from './collections.js';

/** Returns the filter of a read's memories, in a form that `find`, `$match` and `$vectorSearch` accept. */
export function scopeFilter(
  organizationId: string,
  scope: { filter: MemoryFilter; includeDeleted: Included },
): Filter<MemoryDocument> {
  const conditions = conditionsOf(scope.filter).map((anyOf) => ({ facets: { $in: [...anyOf] } }));
  return {
    org: organizationId,
    live: liveIs(scope.includeDeleted),
    ...(conditions.length > 0 && { $and: conditions }),
  };
}

function liveIs(included: Included) {
  if (included === 'only') return false;
  // Lists both states, so that an index on them keeps its order.
  return included ? { $in: [true, false] } : true;
}
