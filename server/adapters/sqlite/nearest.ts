import type { Microseconds } from '../../domain/memory.js';
import { blendRecency, type Recency } from '../../domain/recency.js';
import type { VectorQuery } from '../../ports/store.js';
import type { Connection } from './connection.js';
import { joinedSeqs, statesOf } from './filter-sql.js';
import { type MatchingRows, matchingRows } from './matching-rows.js';
import type { Candidate, VectorMatrix } from './vector-index/matrix.js';
import { candidatesFor, GATHER_BELOW, planVectors } from './vector-index/plan.js';
import { quantizationMargin, quantized } from './vector-index/quantize.js';
import { dotProduct, fromBlob } from './vectors.js';

/** A memory with its exact similarity. */
export interface Ranked {
  seq: number;
  similarity: number;
  score: number;
}

/** What a search runs over: the rows of one organization at one moment. */
export interface SearchSpace {
  connection: Connection;
  org: number;
  matrices: readonly VectorMatrix[];
}

/** The best matches by vector, best first; ties go to the older memory. */
export function nearest(space: SearchSpace, query: VectorQuery): Ranked[] {
  const search = new Search(space, query);
  return query.recency ? byBlend(search, query, query.recency) : bySimilarity(search, query);
}

function bySimilarity(search: Search, { limit, minSimilarity = 0 }: VectorQuery): Ranked[] {
  const enough = candidatesFor(limit);
  for (let wanted = enough; ; wanted *= GROWTH) {
    const { found, unseen } = search.candidates(wanted);
    const top = new Top(limit);
    search.measure(found.slice(0, limit));
    for (const { seq, similarity: estimate } of found) {
      const highest = clip(estimate + search.margin);
      if (highest < top.worst || highest < minSimilarity) break;
      const similarity = search.similarityOf(seq);
      if (similarity >= minSimilarity) top.add({ seq, similarity, score: similarity });
    }
    const highest = clip(unseen + search.margin);
    if (unseen === NOTHING || found.length >= enough || highest < Math.max(top.worst, minSimilarity))
      return top.ranked();
  }
}

/**
 * The most similar memories give a least score to reach; what is less similar
 * than all of those reaches it by being new, so the memories from a certain
 * time on are the only others to look at. Where they are many, more of the
 * similar ones make that time later.
 */
function byBlend(search: Search, query: VectorQuery, recency: Recency): Ranked[] {
  for (let wanted = GROWTH * candidatesFor(query.limit); ; wanted *= GROWTH) {
    const { found, unseen } = search.candidates(wanted);
    const top = new Top(query.limit);
    rankAll(top, search, found, query, recency);
    if (unseen === NOTHING) return top.ranked();
    const since = firstToReach(recency.now, (createdAt) =>
      search.canReach(top, { similarity: unseen, createdAt }, recency),
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
      return top.ranked();
    }
  }
}

function rankAll(
  top: Top,
  search: Search,
  candidates: readonly Candidate[],
  { minSimilarity = 0 }: VectorQuery,
  recency: Recency,
): void {
  for (const candidate of candidates) {
    if (!search.canReach(top, candidate, recency)) continue;
    const { seq, createdAt } = candidate;
    const similarity = search.similarityOf(seq);
    if (similarity >= minSimilarity) top.add({ seq, similarity, score: blendRecency(similarity, createdAt, recency) });
  }
}

/** The first moment from which on `canReach` holds; the present is the last that differs from those before. */
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

/** How many times more a next look takes in. */
const GROWTH = 4;
/** The similarity of rows that are not there. */
const NOTHING = Number.NEGATIVE_INFINITY;

/** One query over the rows that may be answered. */
class Search {
  readonly #space: SearchSpace;
  readonly #query: VectorQuery;
  /** How far the estimate of a similarity may be off. */
  readonly margin: number;
  readonly #codes: Int8Array;
  readonly #rows: MatchingRows | undefined;
  readonly #similarities = new Map<number, number>();

  constructor(space: SearchSpace, query: VectorQuery) {
    this.#space = space;
    this.#query = query;
    const { codes, step } = quantized(query.vector);
    this.#codes = codes;
    this.margin = Math.max(0, ...space.matrices.map(({ coarsestStep }) => quantizationMargin(step, coarsestStep)));
    this.#rows = matchingRows(space, query);
  }

  /** About so many of the most similar rows, and an estimate that no other row is above. */
  candidates(wanted: number): { found: Candidate[]; unseen: number } {
    const looks = this.#space.matrices.map((matrix) => this.#candidatesIn(matrix, wanted));
    return {
      found: looks.flatMap(({ found }) => found).sort((a, b) => b.similarity - a.similarity || a.seq - b.seq),
      unseen: Math.max(NOTHING, ...looks.map(({ unseen }) => unseen)),
    };
  }

  /** The rows created at that time or later; undefined where they are too many to look at. */
  createdSince(since: Microseconds): Candidate[] | undefined {
    const most = Math.ceil(this.#space.matrices.reduce((sum, { size }) => sum + size, 0) * GATHER_BELOW);
    const seqs = this.#rows ? this.#rows.createdSince(since, most + 1) : this.#allSince(since, most + 1);
    if (seqs.length > most) return undefined;
    return this.#space.matrices.flatMap((matrix) => matrix.searchOnly(this.#codes, seqs, seqs.length));
  }

  /** Whether a memory of about this similarity could be among the best. */
  canReach(
    top: Top,
    { similarity, createdAt }: Pick<Candidate, 'similarity' | 'createdAt'>,
    recency: Recency,
  ): boolean {
    const highest = clip(similarity + this.margin);
    return highest >= (this.#query.minSimilarity ?? 0) && blendRecency(highest, createdAt, recency) >= top.worst;
  }

  /** Reads the similarities of some rows that are sure to be asked for, in one go. */
  measure(candidates: readonly Candidate[]): void {
    const seqs = candidates.map(({ seq }) => seq).filter((seq) => !this.#similarities.has(seq));
    const sql = 'SELECT seq, embedding FROM vectors WHERE seq IN (SELECT value FROM json_each(?))';
    const rows = this.#space.connection.all<{ seq: number; embedding: Uint8Array }>(sql, JSON.stringify(seqs));
    for (const { seq, embedding } of rows) {
      this.#similarities.set(seq, clip(dotProduct(fromBlob(embedding), this.#query.vector)));
    }
  }

  /** From the stored vector, clipped to [0, 1]. */
  similarityOf(seq: number): number {
    const known = this.#similarities.get(seq);
    if (known !== undefined) return known;
    const similarity = clip(storedSimilarity(this.#space.connection, seq, this.#query.vector));
    this.#similarities.set(seq, similarity);
    return similarity;
  }

  #allSince(since: Microseconds, most: number): number[] {
    return statesOf(this.#query.includeDeleted).flatMap((state) => {
      const sql = `SELECT m.seq FROM memories m WHERE ${state} AND m.org = ? AND m.created_at >= ? LIMIT ?`;
      return joinedSeqs(this.#space.connection, sql, [this.#space.org, since, most]);
    });
  }

  #candidatesIn(matrix: VectorMatrix, wanted: number): { found: Candidate[]; unseen: number } {
    const rows = this.#rows;
    if (!rows) return look(matrix.search(this.#codes, wanted), wanted);
    const plan = planVectors(matrix.size, rows.atMost, wanted);
    if (plan.kind === 'gather') return look(matrix.searchOnly(this.#codes, rows.seqs(), wanted), wanted);
    const { found, unseen } = look(matrix.search(this.#codes, plan.candidates), plan.candidates);
    return { found: rows.among(found), unseen };
  }
}

function look(found: Candidate[], wanted: number): { found: Candidate[]; unseen: number } {
  return { found, unseen: found.length < wanted ? NOTHING : (found.at(-1)?.similarity ?? NOTHING) };
}

/** Cosine of a stored vector and one of unit length. */
export function storedSimilarity(connection: Connection, seq: number, vector: Float32Array): number {
  const row = connection.get<{ embedding: Uint8Array }>('SELECT embedding FROM vectors WHERE seq = ?', seq);
  return row ? dotProduct(fromBlob(row.embedding), vector) : 0;
}

function clip(similarity: number): number {
  return Math.min(1, Math.max(0, similarity));
}

/** The best so far. */
class Top {
  readonly #limit: number;
  #ranked: Ranked[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What a memory must reach to be among the best. */
  get worst(): number {
    return this.#ranked[this.#limit - 1]?.score ?? Number.NEGATIVE_INFINITY;
  }

  add(entry: Ranked): void {
    if (entry.score < this.worst) return;
    this.#ranked.push(entry);
    this.#ranked.sort((a, b) => b.score - a.score || a.seq - b.seq);
    this.#ranked = this.#ranked.slice(0, this.#limit);
  }

  ranked(): Ranked[] {
    return this.#ranked;
  }
}
