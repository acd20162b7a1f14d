import type { Collection, Filter } from 'mongodb';
import { blendRecency, firstToReach, type Recency } from '../../../domain/retrieval/recency.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { VectorQuery } from '../../../ports/memory-reader.js';
import type { MemoryDocument } from '../engine/collections.js';
import type { ReadOptions } from '../engine/read-options.js';
import { type Candidate, MAX_CANDIDATES, settledNearest, type VectorScope } from './vector-search.js';

const GROWTH = 4;

interface SettledSpace {
  memories: Collection<MemoryDocument>;
  /** Searches that match at most this many memories compare all of them. */
  exactRows: number;
  /** True if at most `exactRows` memories match. */
  isSmall: boolean;
  options: ReadOptions;
}

export interface Ranked extends Candidate {
  score: number;
}

/** Finds the best settled memories for one query. */
export class SettledSearch {
  readonly #space: SettledSpace;
  readonly #query: VectorQuery;
  readonly #scope: VectorScope;

  constructor(space: SettledSpace, query: VectorQuery, scope: VectorScope) {
    this.#space = space;
    this.#query = query;
    this.#scope = scope;
  }

  /** Returns at most `limit` memories, best first. */
  async best(limit: number): Promise<Ranked[]> {
    const distinct = new Map((await this.#candidates(limit)).map((candidate) => [candidate.id, candidate]));
    return rank(this.#query, [...distinct.values()]).slice(0, limit);
  }

  async #candidates(limit: number): Promise<Candidate[]> {
    const { exactRows, isSmall } = this.#space;
    const { recency, exact = false } = this.#query;
    if (!recency) return this.#nearest(Math.min(limit, MAX_CANDIDATES), exact || isSmall);
    const all = isSmall ? await this.#nearest(exactRows + 1, true) : undefined;
    // There may be more memories than when they were counted.
    return all && all.length <= exactRows ? all : this.#blended(recency, exact, limit);
  }

  #nearest(limit: number, exact: boolean): Promise<Candidate[]> {
    return settledNearest(this.#space.memories, this.#scope, { limit, exact, options: this.#space.options });
  }

  /**
   * Blends similarity with recency. The most similar memories set the score to reach. A less similar memory can only
   * reach it by being recent, so only memories since a certain time remain. If they are many, more of the similar ones
   * make that time later.
   */
  async #blended(recency: Recency, exact: boolean, enough: number): Promise<Candidate[]> {
    const { memories, exactRows, options } = this.#space;
    for (let wanted = GROWTH * enough; ; wanted *= GROWTH) {
      const limit = Math.min(wanted, MAX_CANDIDATES);
      const found = await this.#nearest(limit, exact);
      const worst = rank(this.#query, found)[enough - 1]?.score;
      const unseen = found.at(-1)?.similarity;
      if (found.length < limit || worst === undefined || unseen === undefined) return found;

      const since = firstToReach(worst, unseen, recency);
      const newer = narrowed(this.#scope, { createdAt: { $gte: since } });
      const count = await memories.countDocuments(newer.filter, { limit: exactRows + 1, ...options });
      if (exact && count > exactRows) return this.#bestOf(found, since, enough);
      if (count <= exactRows || limit === MAX_CANDIDATES) {
        return [...found, ...(await settledNearest(memories, newer, { limit: count, exact: true, options }))];
      }
    }
  }

  /** Returns the best of `found` and of all memories since a time, compared in batches of at most `exactRows`. */
  async #bestOf(found: readonly Candidate[], since: Microseconds, enough: number): Promise<Candidate[]> {
    const { memories, exactRows, options } = this.#space;
    let best = [...found];
    for (let from = since; ; ) {
      const unseen = narrowed(this.#scope, { createdAt: { $gte: from } });
      const order = { sort: { createdAt: 1 }, skip: exactRows - 1, projection: { createdAt: 1 } } as const;
      const last = await memories.findOne(unseen.filter, { ...order, ...options });
      const part = last ? narrowed(unseen, { createdAt: { $lte: last.createdAt } }) : unseen;
      const compared = await settledNearest(memories, part, { limit: exactRows, exact: true, options });
      const all = new Map([...best, ...compared].map((candidate) => [candidate.id, candidate]));
      best = rank(this.#query, [...all.values()]).slice(0, enough);
      if (!last) return best;
      from = last.createdAt + 1;
    }
  }
}

/** Adds a condition that the search index can check. */
function narrowed({ filter, indexFilter, ...scope }: VectorScope, condition: Filter<MemoryDocument>): VectorScope {
  return {
    ...scope,
    filter: { $and: [filter, condition] },
    ...(indexFilter && { indexFilter: { $and: [indexFilter, condition] } }),
  };
}

/** Returns the candidates that are similar enough, best first. Ties go to the older memory. */
export function rank({ recency, minSimilarity = 0 }: VectorQuery, candidates: readonly Candidate[]): Ranked[] {
  return candidates
    .filter(({ similarity }) => similarity >= minSimilarity)
    .map((candidate) => {
      const { similarity, createdAt } = candidate;
      return { ...candidate, score: recency ? blendRecency(similarity, createdAt, recency) : similarity };
    })
    .sort((a, b) => b.score - a.score || a.createdAt - b.createdAt);
}
