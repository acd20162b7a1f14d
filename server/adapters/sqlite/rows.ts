import { facetOf, facetsOf } from '../../domain/facet.js';
import type { Filter } from '../../domain/filter.js';
import type { Memory, Metadata, SubjectKey } from '../../domain/memory.js';

/** What a memory is read from; the table has further columns that no reader needs. */
export interface MemoryRow {
  seq: number;
  id: string;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  subject_key: string;
  external_key: string | null;
  scope_source: string;
  scope_project: string;
  metadata: string;
  content: string;
}

export const MEMORY_COLUMNS =
  'm.seq, m.id, m.created_at, m.updated_at, m.deleted_at, m.subject_key, m.external_key, ' +
  'm.scope_source, m.scope_project, m.metadata, m.content';

export function toMemory(organizationId: string, row: MemoryRow): Memory {
  const subjectKey = toSubjectKey(row.subject_key);
  return {
    id: row.id,
    organizationId,
    content: row.content,
    metadata: JSON.parse(row.metadata) as Metadata,
    ...(row.external_key !== null && { externalKey: row.external_key }),
    scope: { source: row.scope_source, project: row.scope_project },
    ...(subjectKey !== undefined && { subjectKey }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
  };
}

/** `i:42`, `s:abc`, or empty: an integer and the string of its digits are two subjects. */
export function subjectColumn(subjectKey: SubjectKey | undefined): string {
  if (subjectKey === undefined) return '';
  return typeof subjectKey === 'number' ? `i:${subjectKey}` : `s:${subjectKey}`;
}

function toSubjectKey(column: string): SubjectKey | undefined {
  if (column === '') return undefined;
  const value = column.slice(2);
  return column.startsWith('i:') ? Number(value) : value;
}

/** Starts the facets that stand for subject keys; a facet of metadata starts with a quote. */
export const SUBJECT_FACET = 'subject=';
const EXTERNAL_KEY_FACET = 'external=';

/** Everything a filter can ask of a memory, as rows of the facets table. */
export function facetsOfMemory(memory: Pick<Memory, 'metadata' | 'subjectKey' | 'externalKey'>): string[] {
  const facets = facetsOf(memory.metadata);
  if (memory.subjectKey !== undefined) facets.push(SUBJECT_FACET + subjectColumn(memory.subjectKey));
  if (memory.externalKey !== undefined) facets.push(externalKeyFacet(memory.externalKey));
  return facets;
}

/** A condition holds for memories that have one of its facets; every condition must hold. */
export type FacetCondition = readonly string[];

export function conditionsOf(filter: Filter): FacetCondition[] {
  const conditions: FacetCondition[] = filter.metadata.map(({ key, anyOf }) => [
    ...new Set(anyOf.map((value) => facetOf(key, value))),
  ]);
  if (filter.subjectKey !== undefined) conditions.push([SUBJECT_FACET + subjectColumn(filter.subjectKey)]);
  if (filter.externalKey !== undefined) conditions.push([externalKeyFacet(filter.externalKey)]);
  return conditions;
}

/** Hashed where it is long, as a metadata string would be. */
function externalKeyFacet(externalKey: string): string {
  return EXTERNAL_KEY_FACET + facetOf('', externalKey);
}
