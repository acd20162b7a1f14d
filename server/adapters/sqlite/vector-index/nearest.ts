import { blendRecency, type Recency } from '../../../domain/retrieval/recency.js';
import { clip } from '../../../domain/retrieval/similarity.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { VectorQuery } from '../../../ports/memory-reader.js';
import { candidatesFor } from './plan.js';
import type { Candidate } from './scan/top-candidates.js';
import { NOTHING, type SearchSpace, VectorSearch } from './vector-search.js';

/** A memory with its exact similarity. */
export interface Ranked {
  seq: number;
  similarity: number;
  score: number;
}

/**
 * Finds the best matches by vector, best first. Of equal matches, the older memory comes first.
 *
 * @param answer receives them in the turn of the event loop for which they are exact
 */
export function nearest<T>(space: SearchSpace, query: VectorQuery, answer: (ranked: Ranked[]) => T): Promise<T> {
  const search = new VectorSearch(space, query);
  return query.recency ? byBlend(search, query, query.recency, answer) : bySimilarity(search, query, answer);
}

async function bySimilarity<T>(search: VectorSearch, query: VectorQuery, answer: (ranked: Ranked[]) => T): Promise<T> {
  const { limit, minSimilarity = 0, exact } = query;
  const enough = exact ? Number.POSITIVE_INFINITY : candidatesFor(limit);
  for (let wanted = candidatesFor(limit); ; wanted *= GROWTH) {
    const { found, unseen } = search.look(await search.scan(wanted));
    const top = mostSimilar(search, found, query);
    const isBelow = clip(unseen + search.bound) < minSimilarity || clip(unseen + search.margin) < top.worst;
    if (unseen === NOTHING || found.length >= enough || isBelow)
      return answer(top.ranked().filter(({ similarity }) => similarity >= minSimilarity));
  }
}

/**
 * Returns the most similar candidates, also those below the minimum: a memory that is less similar than `limit` others
 * is no result, whether or not those reach the minimum. So a minimum makes no search read more vectors.
 */
function mostSimilar(
  search: VectorSearch,
  found: readonly Candidate[],
  { limit, minSimilarity = 0 }: VectorQuery,
): Top {
  const top = new Top(limit);
  const mayPass = ({ similarity }: Candidate) => clip(similarity + search.bound) >= minSimilarity;
  const add = (candidates: readonly Candidate[]) => {
    search.measure(candidates);
    for (const { seq } of candidates) {
      const similarity = search.similarityOf(seq);
      top.add({ seq, similarity, score: similarity });
    }
  };
  const likely = found.slice(0, limit).filter(mayPass);
  add(likely);
  const least = top.worst;
  const others = found.slice(likely.length).filter(mayPass);
  add(others.filter(({ similarity }) => clip(similarity + search.margin) >= least));
  return top;
}

/**
 * Finds the best matches by similarity and recency. The most similar memories
 * set the score to reach. A less similar memory can reach it only if it is
 * recent, so besides them only memories from a certain time on are read. If
 * these are too many, more of the similar ones move that time forward.
 */
async function byBlend<T>(
  search: VectorSearch,
  query: VectorQuery,
  recency: Recency,
  answer: (ranked: Ranked[]) => T,
): Promise<T> {
  for (let wanted = GROWTH * candidatesFor(query.limit); ; wanted *= GROWTH) {
    const { found, unseen } = search.look(await search.scan(wanted));
    const top = new Top(query.limit);
    rankAll(top, search, found, query, recency);
    if (unseen === NOTHING) return answer(top.ranked());
    const since = firstToReach(recency.now, (createdAt) =>
      canReach(top, search, { similarity: unseen, createdAt }, query, recency),
    );
    const newer = search.createdSince(since);
    if (newer) {
      const known = new Set(found.map(({ seq }) => seq));
      rankAll(
        top,
        search,
        newer.filter(({ seq }) => !known.has(seq)),
        query,
        recency,
      );
      return answer(top.ranked());
    }
  }
}

function rankAll(
  top: Top,
  search: VectorSearch,
  candidates: readonly Candidate[],
  query: VectorQuery,
  recency: Recency,
): void {
  for (let at = 0; at < candidates.length; at += MEASURED_TOGETHER) {
    const mayReach = (candidate: Candidate) => canReach(top, search, candidate, query, recency);
    const some = candidates.slice(at, at + MEASURED_TOGETHER).filter(mayReach);
    search.measure(some);
    for (const { seq, createdAt } of some) {
      const similarity = search.similarityOf(seq);
      if (similarity < (query.minSimilarity ?? 0)) continue;
      top.add({ seq, similarity, score: blendRecency(similarity, createdAt, recency) });
    }
  }
}

/** Reports if a memory with this estimated similarity can be among the best. */
function canReach(
  top: Top,
  search: VectorSearch,
  { similarity, createdAt }: Pick<Candidate, 'similarity' | 'createdAt'>,
  { minSimilarity = 0 }: VectorQuery,
  recency: Recency,
): boolean {
  if (clip(similarity + search.bound) < minSimilarity) return false;
  return blendRecency(clip(similarity + search.margin), createdAt, recency) >= top.worst;
}

/** Returns the earliest time for which `canReach` is true. Later than `now`, the score grows no more. */
function firstToReach(now: Microseconds, canReach: (createdAt: Microseconds) => boolean): Microseconds {
  if (!canReach(now)) return Number.MAX_SAFE_INTEGER;
  let [before, from] = [-1, now];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (canReach(middle)) from = middle;
    else before = middle;
  }
  return from;
}

/** Number of vectors that are read at once. More of them would be read although others leave them out. */
const MEASURED_TOGETHER = 16;
/** Factor by which each further scan wants more candidates. */
const GROWTH = 4;
/** Keeps the best so far. */
class Top {
  readonly #limit: number;
  #ranked: Ranked[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The score that a memory must reach to be among the best. */
  get worst(): number {
    return this.#ranked[this.#limit - 1]?.score ?? Number.NEGATIVE_INFINITY;
  }

  add(entry: Ranked): void {
    if (entry.score < this.worst) return;
    let at = this.#ranked.length;
    while (at > 0 && isBefore(entry, this.#ranked[at - 1] as Ranked)) at -= 1;
    this.#ranked.splice(at, 0, entry);
    if (this.#ranked.length > this.#limit) this.#ranked.pop();
  }

  ranked(): Ranked[] {
    return this.#ranked;
  }
}

function isBefore(one: Ranked, other: Ranked): boolean {
  return one.score > other.score || (one.score === other.score && one.seq < other.seq);
}
