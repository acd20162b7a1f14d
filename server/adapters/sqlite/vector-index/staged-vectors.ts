import type { VectorChange } from './organization-index.js';
import type { VectorIndexes } from './vector-indexes.js';

type Staged = { org: number; change: VectorChange } | { org: number; change: 'forget' };

/** Changes of the transaction that is open, given to the indexes when it is committed. */
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

  /** On commit the organization's index is built anew. */
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
