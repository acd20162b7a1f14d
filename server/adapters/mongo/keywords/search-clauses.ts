import type { Document } from 'mongodb';
import { facetOf } from '../../../domain/filter/facet.js';
import { conditionsOf } from '../../../domain/filter/memory-facets.js';
import type { TimeCondition, WhereCondition } from '../../../domain/filter/where.js';
import type { QueryTerm } from '../../../domain/retrieval/query-terms.js';
import { mostOf } from '../../../domain/retrieval/ranking.js';
import { documentsBySubject, type Scope } from '../engine/filters.js';
import { WORDS_INDEX } from './words-index.js';

/** The conditions of a `compound` operator that do not affect scores. */
interface Clauses {
  filter: Document[];
  mustNot: Document[];
}

/** Returns the condition that a memory has a word, which is never analyzed. */
export function hasTerm(term: string): Document {
  return { text: { path: 'terms', query: term } };
}

/** Returns the condition for the memories of an organization whose state the index includes. */
export function settledIn(organizationId: string, settledBefore: Date): Document[] {
  return [{ equals: { path: 'org', value: organizationId } }, { range: { path: 'indexedAt', lt: settledBefore } }];
}

/**
 * Returns the `$search` for the memories with any of the terms. The score of a memory is the sum of the most that each
 * of its terms can add to a relevance. So a memory that is not among the first has a relevance below their scores.
 */
export function searchByTerms(
  organizationId: string,
  scope: Scope,
  { terms, settledBefore }: { terms: readonly QueryTerm[]; settledBefore: Date },
): Document {
  const { filter, mustNot } = clausesOf(scope);
  const should = terms.map(({ term, rarity }) => ({
    text: { ...hasTerm(term).text, score: { constant: { value: mostOf(rarity) } } },
  }));
  return {
    index: WORDS_INDEX,
    compound: {
      filter: [...settledIn(organizationId, settledBefore), ...filter],
      ...(mustNot.length > 0 && { mustNot }),
      should,
      minimumShouldMatch: 1,
    },
  };
}

/** Returns the conditions of a scope that the index has the fields for. The database must check the others. */
function clausesOf({ filter, includeDeleted, outside = [] }: Scope): Clauses {
  const clauses: Clauses = { filter: [], mustNot: [] };
  if (includeDeleted !== true) clauses.filter.push({ equals: { path: 'live', value: includeDeleted !== 'only' } });
  for (const anyOf of conditionsOf(filter)) if (anyOf.length > 0) clauses.filter.push(isIn('facets', anyOf));
  for (const where of filter.where ?? []) addWhere(clauses, where);
  for (const [subject, facets] of documentsBySubject(outside)) {
    const isOfDocument = { filter: [{ equals: { path: 'subject', value: subject } }, isIn('facets', facets)] };
    clauses.mustNot.push({ compound: isOfDocument });
  }
  return clauses;
}

function addWhere(clauses: Clauses, where: WhereCondition): void {
  if (where.kind === 'noneOf' && where.values.length > 0) {
    const facets = where.values.map((value) => facetOf(where.key, value));
    clauses.mustNot.push(isIn('facets', facets));
  }
  if (where.kind === 'time' && where.field === 'createdAt') addCreated(clauses, where);
}

function addCreated(clauses: Clauses, { from, before, anyOf = [], noneOf = [] }: TimeCondition): void {
  if (from !== undefined || before !== undefined) {
    const bounds = { ...(from !== undefined && { gte: from }), ...(before !== undefined && { lt: before }) };
    clauses.filter.push({ range: { path: 'createdAt', ...bounds } });
  }
  if (anyOf.length > 0) clauses.filter.push(isIn('createdAt', anyOf));
  if (noneOf.length > 0) clauses.mustNot.push(isIn('createdAt', noneOf));
}

function isIn(path: string, values: readonly (string | number)[]): Document {
  return { in: { path, value: [...values] } };
}
