import { Binary, type Collection, type Filter } from 'mongodb';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { MemoryDocument } from '../engine/collections.js';
import type { ReadOptions } from '../engine/read-options.js';
import { vectorIndexName } from '../engine/schema.js';
import { fieldOf, similarityOfScore, type VectorSlot } from '../engine/vectors.js';

/** A memory and its similarity to the query. */
export interface Candidate {
  id: string;
  createdAt: Microseconds;
  /** Cosine clipped to [0, 1]. */
  similarity: number;
}

/** Candidates of the approximate search for each requested result, and their minimum. */
const OVERSAMPLING = 20;
const MIN_CANDIDATES = 1_000;
/** Growth factor of the limit if changed memories took the places of others. */
const GROWTH = 4;
/** Maximum that Vector Search accepts, for candidates and results alike. */
export const MAX_CANDIDATES = 10_000;

/** The memories that a vector search may return. */
export interface VectorScope {
  filter: Filter<MemoryDocument>;
  vector: Float32Array;
  /** Slot of the compared vectors. */
  slot: VectorSlot;
  /** Memories changed before this time are settled: the index has their state. Others are compared one by one. */
  settledBefore: Date;
}

interface Bounds {
  limit: number;
  exact: boolean;
  options: ReadOptions;
}

/**
 * Returns the settled memories nearest to a vector, best first. The filter applies before the best are chosen.
 *
 * @param exact compares every matching vector instead of walking the graph
 */
export async function settledNearest(
  memories: Collection<MemoryDocument>,
  scope: VectorScope,
  { limit, exact, options }: Bounds,
): Promise<Candidate[]> {
  for (let asked = limit; ; asked *= GROWTH) {
    const found = await searchIndex(memories, scope, { limit: Math.min(asked, MAX_CANDIDATES), exact, options });
    const valid = found.filter(({ indexedAt }) => indexedAt < scope.settledBefore);
    const isWhole = valid.length >= limit || found.length < asked || asked >= MAX_CANDIDATES;
    if (isWhole) return valid.slice(0, limit).map(toCandidate);
  }
}

/** A result of the search index, with the current state of the memory. */
interface Found {
  _id: string;
  createdAt: Microseconds;
  indexedAt: Date;
  score: number;
}

async function searchIndex(
  memories: Collection<MemoryDocument>,
  { filter, vector, slot, settledBefore }: VectorScope,
  { limit, exact, options }: Bounds,
): Promise<Found[]> {
  if (limit < 1) return [];
  const pipeline = [
    {
      $vectorSearch: {
        index: vectorIndexName(vector.length, slot),
        path: `embedding.${fieldOf(vector.length, slot)}`,
        queryVector: Binary.fromFloat32Array(vector),
        limit,
        filter: { $and: [filter, { [slot.indexedAt]: { $lt: settledBefore } }] },
        ...(exact ? { exact } : { numCandidates: candidatesFor(limit) }),
      },
    },
    { $project: { createdAt: 1, indexedAt: `$${slot.indexedAt}`, score: { $meta: 'vectorSearchScore' } } },
  ];
  // A search index has no snapshots; its results are read again with majority concern.
  return memories.aggregate<Found>(pipeline, { readConcern: { level: 'local' }, ...options }).toArray();
}

/** Returns the number of candidates that the graph search needs for `limit` results. */
export function candidatesFor(limit: number): number {
  return Math.min(MAX_CANDIDATES, Math.max(MIN_CANDIDATES, limit * OVERSAMPLING));
}

function toCandidate({ _id, createdAt, score }: Found): Candidate {
  return { id: _id, createdAt, similarity: similarityOfScore(score) };
}
