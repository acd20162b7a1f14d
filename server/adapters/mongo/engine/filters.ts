import type { Filter } from 'mongodb';
import type { DocumentName } from '../../../domain/documents/document.js';
import { facetOf } from '../../../domain/filter/facet.js';
import type { Filter as MemoryFilter } from '../../../domain/filter/filter.js';
import { conditionsOf, subjectText } from '../../../domain/filter/memory-facets.js';
import type { Bound, RangeCondition, TimeCondition, WhereCondition } from '../../../domain/filter/where.js';
import type { Included } from '../../../ports/memory-reader.js';
import type { MemoryDocument } from './collections.js';

/** The memories of an organization that a read includes. */
export interface Scope {
  filter: MemoryFilter;
  includeDeleted: Included;
  /** Documents to leave out. */
  outside?: readonly DocumentName[];
}

/** Returns the filter of a read's memories, in a form that `find` and `$match` accept. */
export function scopeFilter(
  organizationId: string,
  { filter, includeDeleted, outside = [] }: Scope,
): Filter<MemoryDocument> {
  const conditions: Filter<MemoryDocument>[] = [
    ...conditionsOf(filter).map((anyOf) => ({ facets: { $in: [...anyOf] } })),
    ...(filter.where ?? []).map(whereFilter),
    ...outsideOf(outside),
  ];
  return {
    org: organizationId,
    live: liveIs(includeDeleted),
    ...(conditions.length > 0 && { $and: conditions }),
  };
}

/** Returns one condition for each subject of the documents to leave out. */
function outsideOf(documents: readonly DocumentName[]): Filter<MemoryDocument>[] {
  return Array.from(documentsBySubject(documents), ([subject, facets]) => ({
    $or: [{ subject: { $ne: subject } }, { facets: { $nin: facets } }],
  }));
}

/** Returns the facets of documents by subject. */
export function documentsBySubject(documents: readonly DocumentName[]): Map<string, string[]> {
  const bySubject = new Map<string, string[]>();
  for (const { documentId, subjectKey } of documents) {
    const subject = subjectText(subjectKey);
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), facetOf('documentId', documentId)]);
  }
  return bySubject;
}

/**
 * Returns the conditions of `scopeFilter` that `$vectorSearch` accepts. If this omits a condition, a search has to
 * select the matches among its results.
 */
export function indexedScope(organizationId: string, scope: Scope): Filter<MemoryDocument> {
  const where = (scope.filter.where ?? []).filter(isIndexed);
  return scopeFilter(organizationId, { ...scope, filter: { ...scope.filter, where } });
}

/** Reports if `$vectorSearch` accepts every condition of a filter. */
export function isIndexable({ where = [] }: MemoryFilter): boolean {
  return where.every(isIndexed);
}

/** The search index has the facets and `createdAt`. It has no ranges within arrays. */
function isIndexed(where: WhereCondition): boolean {
  return where.kind === 'noneOf' || (where.kind === 'time' && where.field === 'createdAt');
}

function whereFilter(where: WhereCondition): Filter<MemoryDocument> {
  if (where.kind === 'time') return { [where.field]: timeIs(where) };
  if (where.kind === 'range') return { values: { $elemMatch: { key: where.key, value: rangeIs(where) } } };
  if (where.kind === 'exists') return { 'values.key': where.exists ? where.key : { $ne: where.key } };
  return { facets: { $nin: where.values.map((value) => facetOf(where.key, value)) } };
}

/** A comparison only matches values of the bound's type. */
function rangeIs({ above, below }: RangeCondition) {
  return { ...(above && boundIs('$gt', above)), ...(below && boundIs('$lt', below)) };
}

function boundIs(comparison: '$gt' | '$lt', { value, inclusive }: Bound) {
  return { [inclusive ? `${comparison}e` : comparison]: value };
}

function timeIs({ from, before, anyOf, noneOf }: TimeCondition) {
  return {
    ...(from !== undefined && { $gte: from }),
    ...(before !== undefined && { $lt: before }),
    ...(anyOf && { $in: [...anyOf] }),
    ...(noneOf && { $nin: [...noneOf] }),
  };
}

function liveIs(included: Included) {
  if (included === 'only') return false;
  // Lists both states, so that an index on them keeps its order.
  return included ? { $in: [true, false] } : true;
}
