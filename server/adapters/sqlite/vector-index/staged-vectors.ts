import { VectorMatrix } from './matrix.js';
import type { VectorChange } from './organization-index.js';
import type { Scan } from './scan.js';
import type { VectorIndexes } from './vector-indexes.js';

type Staged = { org: number; change: VectorChange } | { org: number; change: 'forget' };

/**
 * Changes of the transaction that is open: searched by its own units only,
 * and given to the indexes when it is committed.
 */
export class StagedVectors {
  readonly #indexes: VectorIndexes;
  readonly #scan: Scan;
  readonly #matrices = new Map<number, VectorMatrix>();
  #kept: Staged[] = [];
  #current: Staged[] = [];

  constructor(indexes: VectorIndexes, scan: Scan) {
    this.#indexes = indexes;
    this.#scan = scan;
  }

  stage(org: number, change: VectorChange): void {
    this.#current.push({ org, change });
    this.#overlay(org, change);
  }

  /** On commit the organization's index is built anew. */
  stageForgetting(org: number): void {
    this.#current.push({ org, change: 'forget' });
  }

  /** The vectors that the open transaction has put. */
  matrixOf(org: number): VectorMatrix | undefined {
    return this.#matrices.get(org);
  }

  keep(): void {
    this.#kept.push(...this.#current);
    this.#current = [];
  }

  drop(): void {
    if (this.#current.length === 0) return;
    this.#current = [];
    this.#matrices.clear();
    for (const { org, change } of this.#kept) {
      if (change !== 'forget') this.#overlay(org, change);
    }
  }

  committed(): void {
    for (const { org, change } of this.#kept) {
      if (change === 'forget') this.#indexes.forget(org);
      else this.#indexes.apply(org, change);
    }
    this.abandoned();
  }

  abandoned(): void {
    this.#kept = [];
    this.#current = [];
    this.#matrices.clear();
  }

  #overlay(org: number, change: VectorChange): void {
    if (change.kind === 'subject') return;
    if (change.kind !== 'put' || !change.active) {
      this.#matrices.get(org)?.remove(change.seq);
      return;
    }
    const { seq, createdAt, quantized } = change;
    const dimensions = quantized.codes.length;
    let matrix = this.#matrices.get(org);
    if (matrix?.dimensions !== dimensions) {
      matrix = new VectorMatrix(dimensions, this.#scan);
      this.#matrices.set(org, matrix);
    }
    matrix.put({ seq, createdAt, subject: 0 }, quantized);
  }
}
