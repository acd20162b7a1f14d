import type { QuantizedVector } from './scan/codes/quantize.js';
import type { SavedMatrix } from './scan/saved-matrix.js';
import type { SpreadMatrix } from './scan/spread-matrix.js';
import { FrequentFilters } from './search/frequent-filters.js';

/** Creates a matrix, with saved rows if there are any. */
type NewMatrix = (dimensions: number, saved?: SavedMatrix) => SpreadMatrix;

/** The vectors that searches of an organization compare. */
export interface SearchedVectors {
  /** Fingerprint of their embedder. */
  fingerprint: string;
  /** Sign of their keys; see `OrganizationState`. */
  side: number;
}

/** A memory's vector in the form that an index keeps. */
export interface IndexedVector {
  seq: number;
  createdAt: number;
  quantized: QuantizedVector;
}

export type VectorChange =
  | (IndexedVector & { kind: 'put'; active: boolean })
  /** Its vector does not belong to this index, or no longer does. */
  | { kind: 'leave'; seq: number }
  /** The memory changed, but not its vector. */
  | { kind: 'edit'; seq: number };

/**
 * Keeps the vectors of one organization that one embedder made. It has a matrix
 * of the active memories. It has one of the deleted memories once a search has
 * asked for them.
 */
export class OrganizationIndex {
  readonly vectors: SearchedVectors;
  readonly frequentFilters = new FrequentFilters();
  readonly #newMatrix: NewMatrix;
  readonly #watches = new Set<Set<number>>();
  readonly #records = new Set<VectorChange[]>();
  #active: SpreadMatrix | undefined;
  #deleted: SpreadMatrix | undefined;
  #keepsDeleted = false;
  #isDropped = false;
  #similarities: WeakMap<Float32Array, Map<number, number>> | undefined;

  constructor(vectors: SearchedVectors, newMatrix: NewMatrix) {
    this.vectors = vectors;
    this.#newMatrix = newMatrix;
  }

  /** Undefined while it is empty. */
  get active(): SpreadMatrix | undefined {
    return this.#active;
  }

  /** Undefined while it is empty. */
  get deleted(): SpreadMatrix | undefined {
    return this.#deleted;
  }

  /** Approximate size in memory. */
  get bytes(): number {
    return (this.#active?.bytes ?? 0) + (this.#deleted?.bytes ?? 0);
  }

  /** Deletes what only makes searches faster. It is made again after some searches. */
  releaseColumns(): void {
    this.#active?.releaseColumns();
    this.#deleted?.releaseColumns();
  }

  /** Empties the index, including the deleted memories. */
  clear(): void {
    this.#active?.drop();
    this.#deleted?.drop();
    this.#active = undefined;
    this.#deleted = undefined;
  }

  /** Empties the index for good: later changes have no effect. */
  drop(): void {
    this.clear();
    this.#isDropped = true;
  }

  /** Starts keeping deleted memories. The caller must put those that were deleted before. */
  keepDeleted(): void {
    this.#keepsDeleted = true;
  }

  /** Returns a set that collects the seqs of all memories that change until it is disposed. */
  watch(): ReadonlySet<number> & Disposable {
    const changed = new Set<number>();
    this.#watches.add(changed);
    return Object.assign(changed, { [Symbol.dispose]: () => void this.#watches.delete(changed) });
  }

  /** Returns a list that gets all changes until it is disposed. */
  record(): readonly VectorChange[] & Disposable {
    const changes: VectorChange[] = [];
    this.#records.add(changes);
    return Object.assign(changes, { [Symbol.dispose]: () => void this.#records.delete(changes) });
  }

  /**
   * Returns the exact similarities to a vector that searches have added since the last change, by seq. A hybrid search
   * compares its vector with many memories twice.
   */
  similaritiesTo(vector: Float32Array): Map<number, number> {
    this.#similarities ??= new WeakMap();
    const known = this.#similarities.get(vector);
    if (known) return known;
    const similarities = new Map<number, number>();
    this.#similarities.set(vector, similarities);
    return similarities;
  }

  /** Applies a change that was just committed. */
  apply(change: VectorChange): void {
    this.#similarities = undefined;
    for (const watch of this.#watches) watch.add(change.seq);
    for (const record of this.#records) record.push(change);
    if (change.kind === 'put') this.put(change, change.active);
    if (change.kind === 'leave') this.#remove(change.seq);
  }

  /** Puts the vector of an existing memory. */
  put({ seq, createdAt, quantized }: IndexedVector, active: boolean): void {
    if (this.#isDropped) return;
    const row = { seq, createdAt };
    if (active) {
      this.#deleted?.remove(seq);
      this.#active ??= this.#newMatrix(quantized.codes.length);
      this.#active.put(row, quantized);
      return;
    }
    this.#active?.remove(seq);
    if (!this.#keepsDeleted) return;
    this.#deleted ??= this.#newMatrix(quantized.codes.length);
    this.#deleted.put(row, quantized);
  }

  /** Replaces the active memories by those of a matrix. Changes after its state must be applied again. */
  adopt(dimensions: number, saved: SavedMatrix): void {
    if (this.#isDropped) return;
    this.#active?.drop();
    this.#active = this.#newMatrix(dimensions, saved);
  }

  /** Resolves when threads have the rows that they are to scan. Until then, the main thread scans the others. */
  async spread(): Promise<void> {
    await this.#active?.spread();
  }

  #remove(seq: number): void {
    this.#active?.remove(seq);
    this.#deleted?.remove(seq);
  }
}
