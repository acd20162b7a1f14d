import { blendRecency, type Recency } from '../../domain/recency.js';
import type { VectorQuery } from '../../ports/store.js';
import type { Connection } from './connection.js';
import { type MatchingRows, matchingRows } from './matching-rows.js';
import type { Candidate, VectorMatrix } from './vector-index/matrix.js';
import { candidatesFor, planVectors } from './vector-index/plan.js';
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
  const top = new Top(limit);
  for (const candidate of search.candidates(candidatesFor(limit))) {
    const highest = clip(candidate.similarity + search.margin);
    if (highest < top.worst || highest < minSimilarity) break;
    const similarity = search.similarityOf(candidate.seq);
    if (similarity >= minSimilarity) top.add({ seq: candidate.seq, similarity, score: similarity });
  }
  return top.ranked();
}

/**
 * The threshold algorithm: the most similar and the newest memories, ever
 * more of both, until none of the others can reach the last result.
 */
function byBlend(search: Search, query: VectorQuery, recency: Recency): Ranked[] {
  for (let wanted = candidatesFor(query.limit); ; wanted *= 4) {
    const similar = search.candidates(wanted);
    const newest = search.newest(wanted);
    const top = new Top(query.limit);
    for (const candidate of unique([...similar, ...newest.candidates])) {
      if (search.canReach(top, candidate, recency)) rank(top, search, candidate, query, recency);
    }
    const leastSimilar = similar.at(-1);
    if (similar.length < wanted || newest.areAll || !leastSimilar) return top.ranked();
    const createdAt = newest.candidates.at(-1)?.createdAt ?? recency.now;
    if (!search.canReach(top, { similarity: leastSimilar.similarity, createdAt }, recency)) return top.ranked();
  }
}

function rank(
  top: Top,
  search: Search,
  { seq, createdAt }: Candidate,
  { minSimilarity = 0 }: VectorQuery,
  recency: Recency,
): void {
  const similarity = search.similarityOf(seq);
  if (similarity >= minSimilarity) top.add({ seq, similarity, score: blendRecency(similarity, createdAt, recency) });
}

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

  candidates(wanted: number): Candidate[] {
    const found = this.#space.matrices.flatMap((matrix) => this.#candidatesIn(matrix, wanted));
    return found.sort((a, b) => b.similarity - a.similarity || a.seq - b.seq).slice(0, wanted);
  }

  /** The newest of the rows, newest first; fewer where memories have no vector of this embedder. */
  newest(wanted: number): { candidates: Candidate[]; areAll: boolean } {
    const seqs = this.#rows ? this.#rows.newest(wanted) : newestSeqs(this.#space, this.#query.includeDeleted, wanted);
    const candidates = this.#space.matrices
      .flatMap((matrix) => matrix.searchOnly(this.#codes, seqs, seqs.length))
      .sort((a, b) => b.seq - a.seq);
    return { candidates, areAll: seqs.length < wanted };
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

  /** From the stored vector, clipped to [0, 1]. */
  similarityOf(seq: number): number {
    const known = this.#similarities.get(seq);
    if (known !== undefined) return known;
    const similarity = clip(storedSimilarity(this.#space.connection, seq, this.#query.vector));
    this.#similarities.set(seq, similarity);
    return similarity;
  }

  #candidatesIn(matrix: VectorMatrix, wanted: number): Candidate[] {
    const rows = this.#rows;
    if (!rows) return matrix.search(this.#codes, wanted);
    const plan = planVectors(matrix.size, rows.atMost, wanted);
    if (plan.kind === 'overscan') {
      const found = rows.among(matrix.search(this.#codes, plan.candidates));
      if (found.length >= wanted) return found;
    }
    return matrix.searchOnly(this.#codes, rows.seqs(), wanted);
  }
}

function newestSeqs({ connection, org }: SearchSpace, includeDeleted: boolean, limit: number): number[] {
  const state = includeDeleted ? '' : 'AND deleted_at IS NULL';
  const sql = `SELECT seq FROM memories WHERE org = ? ${state} ORDER BY created_at DESC LIMIT ?`;
  return connection.all<{ seq: number }>(sql, org, limit).map(({ seq }) => seq);
}

/** Cosine of a stored vector and one of unit length. */
export function storedSimilarity(connection: Connection, seq: number, vector: Float32Array): number {
  const row = connection.get<{ embedding: Uint8Array }>('SELECT embedding FROM vectors WHERE seq = ?', seq);
  return row ? dotProduct(fromBlob(row.embedding), vector) : 0;
}

function clip(similarity: number): number {
  return Math.min(1, Math.max(0, similarity));
}

function unique(candidates: readonly Candidate[]): Iterable<Candidate> {
  return new Map(candidates.map((candidate) => [candidate.seq, candidate])).values();
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
