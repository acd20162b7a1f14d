import type { QuantizedVector } from './scan/quantize.js';
import type { SpreadMatrix } from './scan/spread-matrix.js';

/** A memory's vector as an index keeps it. */
export interface IndexedVector {
  seq: number;
  createdAt: number;
  quantized: QuantizedVector;
}

/** What became of a memory. */
export type VectorChange =
  | (IndexedVector & { kind: 'put'; active: boolean })
  /** Its vector is not of this index, or no longer. */
  | { kind: 'leave'; seq: number }
  /** Something else of it than its vector changed. */
  | { kind: 'edit'; seq: number };

/**
 * The vectors of one organization that one embedder made: a matrix of the
 * active memories, and one of the deleted from the first search that asks for
 * them.
 */
export class OrganizationIndex {
  readonly fingerprint: string;
  readonly #newMatrix: (dimensions: number) => SpreadMatrix;
  readonly #watches = new Set<Set<number>>();
  #active: SpreadMatrix | undefined;
  #deleted: SpreadMatrix | undefined;
  #keepsDeleted = false;
  #isDropped = false;

  constructor(fingerprint: string, newMatrix: (dimensions: number) => SpreadMatrix) {
    this.fingerprint = fingerprint;
    this.#newMatrix = newMatrix;
  }

  /** Undefined as long as there is nothing in it. */
  get active(): SpreadMatrix | undefined {
    return this.#active;
  }

  /** Undefined as long as there is nothing in it. */
  get deleted(): SpreadMatrix | undefined {
    return this.#deleted;
  }

  /** About what it takes. */
  get bytes(): number {
    return (this.#active?.bytes ?? 0) + (this.#deleted?.bytes ?? 0);
  }

  /** Empties the index; what is kept of deleted memories too. */
  clear(): void {
    this.#active?.drop();
    this.#deleted?.drop();
    this.#active = undefined;
    this.#deleted = undefined;
  }

  /** Lets go of everything; from here on it stays empty. */
  drop(): void {
    this.clear();
    this.#isDropped = true;
  }

  /** From here on the deleted memories are kept as well; those of before have to be put. */
  keepDeleted(): void {
    this.#keepsDeleted = true;
  }

  /** The seqs of the memories that change from here on. */
  watch(): ReadonlySet<number> & Disposable {
    const changed = new Set<number>();
    this.#watches.add(changed);
    return Object.assign(changed, { [Symbol.dispose]: () => void this.#watches.delete(changed) });
  }

  /** Brings the index up to date with what was just committed. */
  apply(change: VectorChange): void {
    for (const watch of this.#watches) watch.add(change.seq);
    if (change.kind === 'put') this.put(change, change.active);
    if (change.kind === 'leave') this.#remove(change.seq);
  }

  /** Takes in what has been there before. */
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

  #remove(seq: number): void {
    this.#active?.remove(seq);
    this.#deleted?.remove(seq);
  }
}
