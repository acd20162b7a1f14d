import type { VectorChange } from './organization-index.js';
import type { VectorIndexes } from './vector-indexes.js';

type Staged = { org: number; change: VectorChange } | { org: number; change: 'forget' };

/** Collects the changes of the open transaction, and applies them to the indexes at its commit. */
export class StagedVectors {
  readonly #indexes: VectorIndexes;
  #kept: Staged[] = [];
  #current: Staged[] = [];

  constructor(indexes: VectorIndexes) {
    this.#indexes = indexes;
  }

  stage(org: number, change: VectorChange): void {
    this.#current.push({ org, change });
  }

  /** Drops the organization's index at the commit. The next search rebuilds it. */
  stageForgetting(org: number): void {
    this.#current.push({ org, change: 'forget' });
  }

  keep(): void {
    this.#kept.push(...this.#current);
    this.#current = [];
  }

  drop(): void {
    this.#current = [];
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
  }
}
