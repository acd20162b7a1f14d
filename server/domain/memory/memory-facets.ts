import { facetOf, facetsOf } from './facet.js';
import type { Filter } from './filter.js';
import type { Memory, SubjectKey } from './memory.js';

/** `i:42`, `s:abc`, or empty: an integer and the string of its digits are two subjects. */
export function subjectText(subjectKey: SubjectKey | undefined): string {
  if (subjectKey === undefined) return '';
  return typeof subjectKey === 'number' ? `i:${subjectKey}` : `s:${subjectKey}`;
}

/** The subject key of which `subjectText` is the text. */
export function parseSubjectText(text: string): SubjectKey | undefined {
  if (text === '') return undefined;
  const value = text.slice(2);
  return text.startsWith('i:') ? Number(value) : value;
}

/** Starts the facets that stand for subject keys; a facet of metadata starts with a quote. */
export const SUBJECT_FACET = 'subject=';
const EXTERNAL_KEY_FACET = 'external=';

/** Everything a filter can ask of a memory, as what stores index. */
export function facetsOfMemory(memory: Pick<Memory, 'metadata' | 'subjectKey' | 'externalKey'>): string[] {
  const facets = facetsOf(memory.metadata);
  if (memory.subjectKey !== undefined) facets.push(SUBJECT_FACET + subjectText(memory.subjectKey));
  if (memory.externalKey !== undefined) facets.push(externalKeyFacet(memory.externalKey));
  return facets;
}

/** A condition holds for memories that have one of its facets; every condition must hold. */
export type FacetCondition = readonly string[];

export function conditionsOf(filter: Filter): FacetCondition[] {
  const conditions: FacetCondition[] = filter.metadata.map(({ key, anyOf }) => [
    ...new Set(anyOf.map((value) => facetOf(key, value))),
  ]);
  if (filter.subjectKey !== undefined) conditions.push([SUBJECT_FACET + subjectText(filter.subjectKey)]);
  if (filter.externalKey !== undefined) conditions.push([externalKeyFacet(filter.externalKey)]);
  return conditions;
}

/** Whether a memory meets every condition of a filter. */
export function meetsFilter(memory: Memory, filter: Filter): boolean {
  const facets = new Set(facetsOfMemory(memory));
  return conditionsOf(filter).every((anyOf) => anyOf.some((facet) => facets.has(facet)));
}

/** Hashed where it is long, as a metadata string would be. */
function externalKeyFacet(externalKey: string): string {
  return EXTERNAL_KEY_FACET + facetOf('', externalKey);
}
