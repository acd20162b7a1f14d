import { VectorMatrix } from './matrix.js';
import type { Quantized } from './quantize.js';
import type { Scan } from './scan.js';

/** A memory's vector as an index keeps it. */
export interface IndexedVector {
  seq: number;
  createdAt: number;
  quantized: Quantized;
}

/** What became of a memory's vector. */
export type VectorChange =
  | (IndexedVector & { kind: 'put'; active: boolean })
  /** The memory was soft-deleted. */
  | { kind: 'delete'; seq: number }
  /** The vector is no longer of this index. */
  | { kind: 'leave'; seq: number };

/**
 * The vectors of one organization that one embedder made: a matrix of the
 * active memories, and one of the deleted from the first search that asks for
 * them.
 */
export class OrganizationIndex {
  readonly fingerprint: string;
  readonly #scan: Scan;
  #active: VectorMatrix | undefined;
  #deleted: VectorMatrix | undefined;
  #keepsDeleted = false;

  constructor(fingerprint: string, scan: Scan) {
    this.fingerprint = fingerprint;
    this.#scan = scan;
  }

  /** Undefined as long as there is nothing in it. */
  get active(): VectorMatrix | undefined {
    return this.#active;
  }

  /** Undefined as long as there is nothing in it. */
  get deleted(): VectorMatrix | undefined {
    return this.#deleted;
  }

  /** About what it takes. */
  get bytes(): number {
    return (this.#active?.bytes ?? 0) + (this.#deleted?.bytes ?? 0);
  }

  /** Empties the index; what is kept of deleted memories too. */
  clear(): void {
    this.#active = undefined;
    this.#deleted = undefined;
  }

  /** From here on the deleted memories are kept as well; those of before have to be put. */
  keepDeleted(): void {
    this.#keepsDeleted = true;
  }

  apply(change: VectorChange): void {
    const left = change.kind === 'delete' && this.#keepsDeleted ? this.#active?.get(change.seq) : undefined;
    if (left) {
      this.#deleted ??= new VectorMatrix(left.codes.length, this.#scan);
      this.#deleted.put(left.row, { codes: left.codes, step: this.#active?.coarsestStep ?? 0 });
    }
    this.#active?.remove(change.seq);
    if (change.kind !== 'delete') this.#deleted?.remove(change.seq);
    if (change.kind === 'put') this.#put(change, change.active);
  }

  #put({ seq, createdAt, quantized }: IndexedVector, active: boolean): void {
    if (!active && !this.#keepsDeleted) return;
    const row = { seq, createdAt };
    if (active) {
      this.#active ??= new VectorMatrix(quantized.codes.length, this.#scan);
      this.#active.put(row, quantized);
    } else {
      this.#deleted ??= new VectorMatrix(quantized.codes.length, this.#scan);
      this.#deleted.put(row, quantized);
    }
  }
}
