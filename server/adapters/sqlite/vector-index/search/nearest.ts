import { blendRecency, type Recency } from '../../../../domain/retrieval/recency.js';
import { clip } from '../../../../domain/retrieval/similarity.js';
import type { Microseconds } from '../../../../domain/timestamp.js';
import type { VectorQuery } from '../../../../ports/memory-reader.js';
import { type Needed, NO_SIMILARITY } from '../scan/matrix-search.js';
import type { Candidate } from '../scan/top-candidates.js';
import { candidatesFor } from './plan.js';
import { type Look, type SearchSpace, VectorSearch } from './vector-search.js';

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
  let needed: Needed | undefined = { rows: limit, within: search.margin * NEEDED_MARGINS };
  for (let wanted = candidatesFor(limit); ; wanted *= GROWTH) {
    const look = search.look(await search.scan(wanted, needed));
    needed = undefined;
    const { unseen } = look;
    const { top, matching } = mostSimilar(search, look, query);
    const isBelow = clip(unseen + search.bound) < minSimilarity || clip(unseen + search.margin) < top.worst;
    if (unseen === NO_SIMILARITY || matching >= enough || isBelow)
      return answer(top.ranked().filter(({ similarity }) => similarity >= minSimilarity));
  }
}

/**
 * Returns the most similar candidates, and how many were found to match the filter. Candidates that cannot be among the
 * best are not checked.
 *
 * The result includes candidates below the minimum: a memory that is less similar than `limit` others is no result,
 * whether or not those reach the minimum. So a minimum makes no search read more vectors.
 */
function mostSimilar(
  search: VectorSearch,
  look: Look,
  { limit, minSimilarity = 0 }: VectorQuery,
): { top: Top; matching: number } {
  const top = new Top(limit);
  const mayBeAmong = ({ similarity }: Candidate) =>
    clip(similarity + search.bound) >= minSimilarity && clip(similarity + search.margin) >= top.worst;
  let left = look.found.filter(mayBeAmong);
  let matching = 0;
  for (let count = limit; left.length > 0; count = Math.max(limit, CHECKED_TOGETHER)) {
    const some = look.matching(left.slice(0, count));
    matching += some.length;
    search.measure(some);
    for (const { seq } of some) {
      const similarity = search.similarityOf(seq);
      top.add({ seq, similarity, score: similarity });
    }
    left = left.slice(count).filter(mayBeAmong);
  }
  return { top, matching };
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
    const { found, unseen, matching } = search.look(await search.scan(wanted));
    const best = new BestByBlend(search, query, recency);
    best.add(found, matching);
    if (unseen === NO_SIMILARITY) return answer(best.ranked());
    const since = firstToReach(recency.now, (createdAt) => best.mayBeAmong({ similarity: unseen, createdAt }));
    const newer = search.createdSince(since);
    if (newer) {
      const known = new Set(found.map(({ seq }) => seq));
      best.add(newer.filter(({ seq }) => !known.has(seq)));
      return answer(best.ranked());
    }
  }
}

/**
 * Keeps the best by similarity and recency, both with the minimum similarity and without it. A result without the
 * minimum that reaches it is therefore one with it, even if its estimate is wrong by more than the margin. For the
 * others the margin suffices: within `bound` of the minimum are many more memories than a search may read.
 */
class BestByBlend {
  readonly #search: VectorSearch;
  readonly #recency: Recency;
  readonly #minSimilarity: number;
  readonly #passing: Top;
  readonly #all: Top;

  constructor(search: VectorSearch, { limit, minSimilarity = 0 }: VectorQuery, recency: Recency) {
    this.#search = search;
    this.#recency = recency;
    this.#minSimilarity = minSimilarity;
    this.#passing = new Top(limit);
    this.#all = minSimilarity > 0 ? new Top(limit) : this.#passing;
  }

  ranked(): Ranked[] {
    return this.#passing.ranked();
  }

  /**
   * Reads some vectors together, since the best of them raise the score that the others must reach.
   *
   * @param candidates the most similar first
   * @param matching returns those that match the filter
   */
  add(candidates: readonly Candidate[], matching: Look['matching'] = (some) => some): void {
    for (let at = 0; at < candidates.length; at += MEASURED_TOGETHER) {
      const likely = candidates.slice(at, at + MEASURED_TOGETHER).filter((candidate) => this.mayBeAmong(candidate));
      const some = likely.length > 0 ? matching(likely) : likely;
      this.#search.measure(some);
      for (const { seq, createdAt } of some) {
        const similarity = this.#search.similarityOf(seq);
        const entry = { seq, similarity, score: blendRecency(similarity, createdAt, this.#recency) };
        if (similarity >= this.#minSimilarity) this.#passing.add(entry);
        if (this.#all !== this.#passing) this.#all.add(entry);
      }
    }
  }

  /** Reports if a memory with this estimated similarity can be among the best. */
  mayBeAmong({ similarity, createdAt }: Pick<Candidate, 'similarity' | 'createdAt'>): boolean {
    if (clip(similarity + this.#search.bound) < this.#minSimilarity) return false;
    const highest = clip(similarity + this.#search.margin);
    const score = blendRecency(highest, createdAt, this.#recency);
    return score >= this.#all.worst || (highest >= this.#minSimilarity && score >= this.#passing.worst);
  }
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

/**
 * The last result may be less similar than its estimate, by two fifths of the margin in almost all searches. If it is less
 * similar than that, there is a second scan.
 */
const NEEDED_MARGINS = 1.4;
/** Number of candidates whose filter is checked at once, after the first. Few of more would be needed. */
const CHECKED_TOGETHER = 32;
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
