import { expect } from 'vitest';
import type { Quantized } from '../../adapters/sqlite/vector-index/scan/codes/quantize.js';
import type { VectorMatrix } from '../../adapters/sqlite/vector-index/scan/matrix.js';
import type { Needed } from '../../adapters/sqlite/vector-index/scan/matrix-search.js';
import type { Candidate } from '../../adapters/sqlite/vector-index/scan/top-candidates.js';

/** The same rows in a matrix whose searches read something else first, and in a plain one, which scans them. */
export class MatrixPair {
  readonly matrix: VectorMatrix;
  readonly plain: VectorMatrix;
  readonly #k: number;

  /** @param k number of candidates that searches ask for */
  constructor(matrix: VectorMatrix, plain: VectorMatrix, k: number) {
    this.matrix = matrix;
    this.plain = plain;
    this.#k = k;
  }

  putBoth(seq: number, vector: Quantized): void {
    for (const matrix of [this.matrix, this.plain]) matrix.put({ seq, createdAt: seq }, vector);
  }

  remove(seq: number): void {
    for (const matrix of [this.matrix, this.plain]) matrix.remove(seq);
  }

  bytesOf(query: Quantized, { exact = false, k = this.#k } = {}): number {
    return this.matrix.search({ query, k, exact }).bytes;
  }

  /**
   * Expects all rows that are needed, and that no other row is above the bound of those that were not seen. Returns the bytes
   * that the search compared.
   */
  expectNeeded(query: Quantized, needed: Needed): number {
    const { candidates, unseen, bytes } = this.matrix.search({ query, k: this.#k, needed });
    const expected = this.plain.search({ query, k: this.#k });
    const last = expected.candidates[needed.rows - 1]?.similarity ?? 0;
    expect(unseen).toBeLessThanOrEqual(Math.max(last - needed.within, expected.unseen));
    const seen = (of: readonly Candidate[]) => of.filter(({ similarity }) => similarity > unseen);
    expect(seen(candidates)).toEqual(seen(expected.candidates));
    return bytes;
  }

  /** Returns how many of the best rows a search finds. */
  found(query: Quantized): number {
    const seqs = new Set(this.matrix.search({ query, k: this.#k }).candidates.map(({ seq }) => seq));
    return this.plain.search({ query, k: this.#k }).candidates.filter(({ seq }) => seqs.has(seq)).length;
  }

  /** Returns the bytes that the search compared. */
  expectSame(query: Quantized): number {
    const { candidates, bytes } = this.matrix.search({ query, k: this.#k });
    const expected = this.plain.search({ query, k: this.#k }).candidates;
    expect(candidates.map(({ similarity }) => similarity)).toEqual(expected.map(({ similarity }) => similarity));
    const last = expected.at(-1)?.similarity ?? 0;
    const better = (of: typeof expected) => of.filter(({ similarity }) => similarity > last);
    expect(better(candidates)).toEqual(better(expected));
    expect(new Set(candidates.map(({ seq }) => seq)).size).toBe(this.#k);
    return bytes;
  }
}
