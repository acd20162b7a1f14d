import type { VectorChange } from './organization-index.js';
import type { VectorIndexes } from './vector-indexes.js';

/** A change of the searched index or of the pending one, or of which vectors are searched or pending. */
type Staged = { org: number; of: 'searched' | 'pending'; change: VectorChange } | { org: number; change: 'replace' };

/** Collects the changes of the open transaction, and applies them to the indexes at its commit. */
export class StagedVectors {
  readonly #indexes: VectorIndexes;
  #kept: Staged[] = [];
  #current: Staged[] = [];

  constructor(indexes: VectorIndexes) {
    this.#indexes = indexes;
  }

  stage(org: number, change: VectorChange): void {
    this.#current.push({ org, of: 'searched', change });
  }

  /** Stages a change of the vectors that will be searched after a re-embedding. */
  stagePending(org: number, change: VectorChange): void {
    this.#current.push({ org, of: 'pending', change });
  }

  /** Drops the indexes of vectors that the settings no longer name at the commit. */
  stageReplacement(org: number): void {
    this.#current.push({ org, change: 'replace' });
  }

  keep(): void {
    this.#kept.push(...this.#current);
    this.#current = [];
  }

  drop(): void {
    this.#current = [];
  }

  committed(): void {
    for (const staged of this.#kept) {
      if (staged.change === 'replace') this.#indexes.replace(staged.org);
      else if (staged.of === 'pending') this.#indexes.applyPending(staged.org, staged.change);
      else this.#indexes.apply(staged.org, staged.change);
    }
    this.abandoned();
  }

  abandoned(): void {
    this.#kept = [];
    this.#current = [];
  }
}
