import type { ClientSession, Collection, Filter } from 'mongodb';
import { subjectText } from '../../domain/memory-facets.js';
import type { Match, SimilarQuery } from '../../ports/store.js';
import type { MemoryDocument } from './collections.js';
import { MEMORY_FIELDS, toMemory } from './memory-documents.js';
import { type Candidate, MOST_CANDIDATES, settledNearest } from './vector-search.js';
import { fieldOf, similarityTo } from './vectors.js';

/** Where a unit of work looks for near-duplicates. */
export interface SimilarSpace {
  memories: Collection<MemoryDocument>;
  organizationId: string;
  fingerprint: string;
  /** Whether there is a search index for vectors of this size. */
  isIndexed: boolean;
  settledBefore: Date;
  /** Looks at every vector, in place of walking the graph. */
  exact: boolean;
}

/** Duplicates are rare, so the first look is a short one. */
const FIRST_LOOK = 16;
const GROWTH = 4;
/** How far a score of the search index may be from the cosine of the stored vectors. */
export const MARGIN = 1e-4;

/** The settled memories nearest to a vector, of whatever subject: mostly none of them is similar enough, for any. */
export async function firstLook(space: SimilarSpace, vector: Float32Array): Promise<Candidate[]> {
  if (!space.isIndexed) return [];
  const { organizationId: org, fingerprint, settledBefore } = space;
  const scope = { filter: { org, live: true, fingerprint }, vector, settledBefore };
  return settledNearest(space.memories, scope, { limit: FIRST_LOOK, exact: space.exact });
}

/**
 * Ids of the settled memories that seem similar enough. Vector Search cannot
 * run in a transaction; but the unit holds its organization, so nothing that
 * this finds changes before the unit looks again.
 *
 * @param looked what a first look for the vector gave
 */
export async function similarIds(
  space: SimilarSpace,
  query: SimilarQuery,
  looked?: readonly Candidate[],
): Promise<string[]> {
  if (!space.isIndexed) return [];
  if (looked && isConclusive(looked, FIRST_LOOK, query)) return idsOfSimilar(looked, query);
  const scope = { filter: scopeOf(space, query), vector: query.embedding, settledBefore: space.settledBefore };
  for (let limit = FIRST_LOOK; ; limit *= GROWTH) {
    const found = await settledNearest(space.memories, scope, { limit, exact: space.exact });
    if (isConclusive(found, limit, query) || limit * GROWTH > MOST_CANDIDATES) return idsOfSimilar(found, query);
  }
}

/** Whether nothing that was not found can be similar enough. */
function isConclusive(found: readonly Candidate[], limit: number, query: SimilarQuery): boolean {
  return found.length < limit || idsOfSimilar(found, query).length < found.length;
}

function idsOfSimilar(found: readonly Candidate[], { atLeast }: SimilarQuery): string[] {
  return found.filter(({ similarity }) => similarity >= atLeast - MARGIN).map(({ id }) => id);
}

/** Active memories of a subject at least so similar, best first, of those given, as the transaction sees them. */
export async function verifiedSimilar(
  space: SimilarSpace,
  query: SimilarQuery,
  ids: readonly string[],
  session: ClientSession,
): Promise<Match[]> {
  if (ids.length === 0) return [];
  const projection = { ...MEMORY_FIELDS, [`embedding.${fieldOf(query.embedding.length)}`]: 1 };
  const found = await space.memories
    .find({ $and: [scopeOf(space, query), { _id: { $in: [...ids] } }] }, { session, projection })
    .map((document) => ({ document, similarity: similarityTo(query.embedding, document) ?? 0 }))
    .toArray();
  return found
    .filter(({ similarity }) => similarity >= query.atLeast)
    .map(({ document, similarity }) => ({
      memory: toMemory(space.organizationId, document),
      similarity,
      score: similarity,
    }))
    .sort((a, b) => b.similarity - a.similarity || a.memory.createdAt - b.memory.createdAt)
    .slice(0, query.limit);
}

function scopeOf({ organizationId, fingerprint }: SimilarSpace, { subjectKey }: SimilarQuery): Filter<MemoryDocument> {
  return { org: organizationId, live: true, subject: subjectText(subjectKey), fingerprint };
}
