import { Binary, type Collection, type Filter } from 'mongodb';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { MemoryDocument } from '../engine/collections.js';
import type { ReadOptions } from '../engine/read-options.js';
import { vectorIndexName } from '../engine/schema.js';
import { fieldOf, similarityOfScore } from '../engine/vectors.js';

/** A memory and how similar it is to what is looked for. */
export interface Candidate {
  id: string;
  createdAt: Microseconds;
  /** Cosine clipped to [0, 1]. */
  similarity: number;
}

/** How many neighbours the approximate search looks at for each that it gives, and the bounds of their number. */
const OVERSAMPLING = 20;
const FEWEST_CANDIDATES = 1_000;
/** How many times more are asked for where memories that changed took the places of others. */
const GROWTH = 4;
/** The most that Vector Search takes, candidates and results alike. */
export const MOST_CANDIDATES = 10_000;

/** Which memories a vector search may answer with. */
export interface VectorScope {
  filter: Filter<MemoryDocument>;
  vector: Float32Array;
  /** Memories changed before this are in the search index as they are; the others are looked at one by one. */
  settledBefore: Date;
}

interface Bounds {
  limit: number;
  exact: boolean;
  options: ReadOptions;
}

/**
 * The settled memories nearest to a vector, best first. The filter holds
 * before the best are taken.
 *
 * @param exact looks at every vector that passes the filter, in place of walking the graph
 */
export async function settledNearest(
  memories: Collection<MemoryDocument>,
  scope: VectorScope,
  { limit, exact, options }: Bounds,
): Promise<Candidate[]> {
  for (let asked = limit; ; asked *= GROWTH) {
    const found = await searchIndex(memories, scope, { limit: Math.min(asked, MOST_CANDIDATES), exact, options });
    const valid = found.filter(({ indexedAt }) => indexedAt < scope.settledBefore);
    const isWhole = valid.length >= limit || found.length < asked || asked >= MOST_CANDIDATES;
    if (isWhole) return valid.slice(0, limit).map(toCandidate);
  }
}

/** What the search index gives, with the present state of the memories. */
interface Found {
  _id: string;
  createdAt: Microseconds;
  indexedAt: Date;
  score: number;
}

async function searchIndex(
  memories: Collection<MemoryDocument>,
  { filter, vector, settledBefore }: VectorScope,
  { limit, exact, options }: Bounds,
): Promise<Found[]> {
  if (limit < 1) return [];
  const pipeline = [
    {
      $vectorSearch: {
        index: vectorIndexName(vector.length),
        path: `embedding.${fieldOf(vector.length)}`,
        queryVector: Binary.fromFloat32Array(vector),
        limit,
        filter: { $and: [filter, { indexedAt: { $lt: settledBefore } }] },
        ...(exact ? { exact } : { numCandidates: candidatesFor(limit) }),
      },
    },
    { $project: { createdAt: 1, indexedAt: 1, score: { $meta: 'vectorSearchScore' } } },
  ];
  // A search index has no older versions to read; what it names is read again with majority concern.
  return memories.aggregate<Found>(pipeline, { readConcern: { level: 'local' }, ...options }).toArray();
}

/** How many neighbours the graph is walked for, to give so many of the nearest. */
export function candidatesFor(limit: number): number {
  return Math.min(MOST_CANDIDATES, Math.max(FEWEST_CANDIDATES, limit * OVERSAMPLING));
}

function toCandidate({ _id, createdAt, score }: Found): Candidate {
  return { id: _id, createdAt, similarity: similarityOfScore(score) };
}
