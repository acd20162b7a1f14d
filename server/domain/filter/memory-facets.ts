import type { Memory, SubjectKey } from '../memory/memory.js';
import { facetOf, facetsOf } from './facet.js';
import type { Filter } from './filter.js';
import { meetsWhere } from './where.js';

/** Returns `i:42`, `s:abc` or an empty text. An integer and the string of its digits are different subjects. */
export function subjectText(subjectKey: SubjectKey | undefined): string {
  if (subjectKey === undefined) return '';
  return typeof subjectKey === 'number' ? `i:${subjectKey}` : `s:${subjectKey}`;
}

/** Parses a result of `subjectText`. */
export function parseSubjectText(text: string): SubjectKey | undefined {
  if (text === '') return undefined;
  const value = text.slice(2);
  return text.startsWith('i:') ? Number(value) : value;
}

/** Prefix of the facets of subject keys. Facets of metadata start with a quote. */
export const SUBJECT_FACET = 'subject=';
const EXTERNAL_KEY_FACET = 'external=';

/** Returns all facets of a memory that a filter can require. */
export function facetsOfMemory(memory: Pick<Memory, 'metadata' | 'subjectKey' | 'externalKey'>): string[] {
  const facets = facetsOf(memory.metadata);
  if (memory.subjectKey !== undefined) facets.push(SUBJECT_FACET + subjectText(memory.subjectKey));
  if (memory.externalKey !== undefined) facets.push(externalKeyFacet(memory.externalKey));
  return facets;
}

/** A condition that memories with one of these facets meet. */
export type FacetCondition = readonly string[];

/** Returns the equalities of a filter. `filter.where` has the other conditions. */
export function conditionsOf(filter: Filter): FacetCondition[] {
  const conditions: FacetCondition[] = filter.metadata.map(({ key, anyOf }) => [
    ...new Set(anyOf.map((value) => facetOf(key, value))),
  ]);
  if (filter.subjectKey !== undefined) conditions.push([SUBJECT_FACET + subjectText(filter.subjectKey)]);
  if (filter.externalKey !== undefined) conditions.push([externalKeyFacet(filter.externalKey)]);
  return conditions;
}

/** Reports if a memory meets every condition of a filter. */
export function meetsFilter(memory: Memory, filter: Filter): boolean {
  const facets = new Set(facetsOfMemory(memory));
  return (
    conditionsOf(filter).every((anyOf) => anyOf.some((facet) => facets.has(facet))) &&
    (filter.where ?? []).every((condition) => meetsWhere(memory, condition))
  );
}

/** Returns a facet with a hash if the key is long, as `facetOf` does. */
function externalKeyFacet(externalKey: string): string {
  return EXTERNAL_KEY_FACET + facetOf('', externalKey);
}
