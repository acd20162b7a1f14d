import type { Microseconds } from '../../domain/memory.js';
import type { VectorQuery } from '../../ports/store.js';
import type { Connection } from './connection.js';
import { joinedSeqs, statesOf } from './filter-sql.js';
import { type MatchingRows, matchingRows } from './matching-rows.js';
import type { VectorMatrix } from './vector-index/matrix.js';
import { GATHER_BELOW, planVectors } from './vector-index/plan.js';
import { quantizationMargin, quantized } from './vector-index/quantize.js';
import type { Candidate } from './vector-index/top-candidates.js';
import { clip, dotProduct, fromBlob } from './vectors.js';

/** What a search runs over: the rows of one organization at one moment. */
export interface SearchSpace {
  connection: Connection;
  org: number;
  matrices: readonly VectorMatrix[];
}

/** Candidates, and an estimate that no other row is above. */
export interface Look {
  found: Candidate[];
  unseen: number;
}

/** The similarity of rows that are not there. */
export const NOTHING = Number.NEGATIVE_INFINITY;

/** One query over the rows that may be answered. */
export class VectorSearch {
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

  /** About so many of the most similar rows. */
  candidates(wanted: number): Look {
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
      const sql = `SELECT m.seq FROM memories m WHERE ${state} AND m.org = ? AND m.created_at >= ? LIMIT +?`;
      return joinedSeqs(this.#space.connection, sql, [this.#space.org, since, most]);
    });
  }

  #candidatesIn(matrix: VectorMatrix, wanted: number): Look {
    const rows = this.#rows;
    if (!rows) return look(matrix.search(this.#codes, wanted), wanted);
    const plan = planVectors(matrix.size, rows.atMost, wanted);
    if (plan.kind === 'gather') return look(matrix.searchOnly(this.#codes, rows.seqs(), wanted), wanted);
    const { found, unseen } = look(matrix.search(this.#codes, plan.candidates), plan.candidates);
    return { found: rows.among(found), unseen };
  }
}

function look(found: Candidate[], wanted: number): Look {
  return { found, unseen: found.length < wanted ? NOTHING : (found.at(-1)?.similarity ?? NOTHING) };
}

/** Cosine of a stored vector and one of unit length. */
export function storedSimilarity(connection: Connection, seq: number, vector: Float32Array): number {
  const row = connection.get<{ embedding: Uint8Array }>('SELECT embedding FROM vectors WHERE seq = ?', seq);
  return row ? dotProduct(fromBlob(row.embedding), vector) : 0;
}
