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
  /** The part of `filter` that the search index can check. Absent if it can check all of it. */
  indexFilter?: Filter<MemoryDocument>;
  vector: Float32Array;
  /** Slot of the compared vectors. */
  slot: VectorSlot;
  /** Memories changed before this time are settled: the index has their state. Others are compared one by one. */
  settledBefore: Date;
  /** True if the similarities of the index are approximate, so that the best are compared by their stored vectors. */
  rescores: boolean;
}

interface Bounds {
  limit: number;
  exact: boolean;
  options: ReadOptions;
}

/** Thrown if too few of the candidates match the part of a filter that the search index cannot check. */
export class TooFewCandidatesError extends Error {
  override name = 'TooFewCandidatesError';
}

/**
 * Returns the settled memories nearest to a vector, best first. The filter applies before the best are chosen: if the
 * search index cannot check all of it, more candidates are read until enough of them match.
 *
 * @param exact compares every matching vector instead of walking the graph
 * @throws {TooFewCandidatesError} if Vector Search has more candidates than it can return
 */
export async function settledNearest(
  memories: Collection<MemoryDocument>,
  scope: VectorScope,
  { limit, exact, options }: Bounds,
): Promise<Candidate[]> {
  for (let asked = limit; ; asked *= GROWTH) {
    const bounds = { limit: Math.min(asked, MAX_CANDIDATES), exact, options };
    const found = await searchWhole(memories, scope, bounds);
    const settled = found.filter(({ indexedAt }) => indexedAt < scope.settledBefore);
    const valid = scope.indexFilter ? await matchingAmong(memories, scope.filter, settled, options) : settled;
    if (valid.length >= limit || found.length < bounds.limit) return valid.slice(0, limit).map(toCandidate);
    if (asked < MAX_CANDIDATES) continue;
    if (scope.indexFilter) throw new TooFewCandidatesError('Too few of the candidates match the filter');
    return valid.map(toCandidate);
  }
}

/**
 * Returns fewer than `limit` only if no more match. A walk of the graph may miss matches, because links may lead to a
 * vector only from vectors that it does not visit. If so few are found, comparing all is fast.
 */
async function searchWhole(memories: Collection<MemoryDocument>, scope: VectorScope, bounds: Bounds): Promise<Found[]> {
  const found = await searchIndex(memories, scope, bounds);
  if (bounds.exact || found.length >= bounds.limit) return found;
  return searchIndex(memories, scope, { ...bounds, exact: true });
}

async function matchingAmong(
  memories: Collection<MemoryDocument>,
  filter: Filter<MemoryDocument>,
  found: readonly Found[],
  options: ReadOptions,
): Promise<Found[]> {
  const among = { $and: [filter, { _id: { $in: found.map(({ _id }) => _id) } }] };
  const matching = await memories
    .find(among, { projection: { _id: 1 }, batchSize: found.length + 1, ...options })
    .toArray();
  const ids = new Set(matching.map(({ _id }) => _id));
  return found.filter(({ _id }) => ids.has(_id));
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
  { filter, indexFilter = filter, vector, slot, settledBefore }: VectorScope,
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
        filter: { $and: [indexFilter, { [slot.indexedAt]: { $lt: settledBefore } }] },
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
