import type { Filter } from 'mongodb';
import type { DocumentName } from '../../../domain/memory/document.js';
import { facetOf } from '../../../domain/memory/facet.js';
import type { Filter as MemoryFilter } from '../../../domain/memory/filter.js';
import { conditionsOf, subjectText } from '../../../domain/memory/memory-facets.js';
import type { Included } from '../../../ports/memory-reader.js';
import type { MemoryDocument } from './collections.js';

/** Returns the filter of a read's memories, in a form that `find`, `$match` and `$vectorSearch` accept. */
export function scopeFilter(
  organizationId: string,
  scope: { filter: MemoryFilter; includeDeleted: Included; outside?: readonly DocumentName[] },
): Filter<MemoryDocument> {
  const required = conditionsOf(scope.filter).map((anyOf) => ({ facets: { $in: [...anyOf] } }));
  const conditions = [...required, ...outside(scope.outside ?? [])];
  return {
    org: organizationId,
    live: liveIs(scope.includeDeleted),
    ...(conditions.length > 0 && { $and: conditions }),
  };
}

/** Returns one condition for each subject of the documents to leave out. */
function outside(documents: readonly DocumentName[]): Filter<MemoryDocument>[] {
  const bySubject = new Map<string, string[]>();
  for (const { documentId, subjectKey } of documents) {
    const subject = subjectText(subjectKey);
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), facetOf('documentId', documentId)]);
  }
  return Array.from(bySubject, ([subject, facets]) => ({
    $or: [{ subject: { $ne: subject } }, { facets: { $nin: facets } }],
  }));
}

function liveIs(included: Included) {
  if (included === 'only') return false;
  // Lists both states, so that an index on them keeps its order.
  return included ? { $in: [true, false] } : true;
}
