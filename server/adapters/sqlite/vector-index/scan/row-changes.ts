import type { Row } from './block.js';
import type { Quantized } from './codes/quantize.js';

/**
 * Changes of rows in their order. A row with a time is put: its codes follow
 * those of the rows put before it. A row without a time is removed.
 */
export interface RowChanges {
  seqs: Float64Array<ArrayBuffer>;
  createdAts: Float64Array<ArrayBuffer>;
  /** The step of the codes of each row. */
  steps: Float64Array<ArrayBuffer>;
  codes: Int8Array<ArrayBuffer>;
}

/** The time that marks a removed row. */
const REMOVED = Number.NaN;

export function isRemoved(createdAt: number): boolean {
  return Number.isNaN(createdAt);
}

/** Collects changes, to send them together. */
export class RowChangeList {
  #seqs: number[] = [];
  #createdAts: number[] = [];
  #steps: number[] = [];
  #codes: Int8Array[] = [];

  get isEmpty(): boolean {
    return this.length === 0;
  }

  get length(): number {
    return this.#seqs.length;
  }

  /** The codes must not change any more. */
  put({ seq, createdAt }: Row, { codes, step }: Quantized): void {
    this.#seqs.push(seq);
    this.#createdAts.push(createdAt);
    this.#steps.push(step);
    this.#codes.push(codes);
  }

  remove(seq: number): void {
    this.#seqs.push(seq);
    this.#createdAts.push(REMOVED);
    this.#steps.push(0);
  }

  /** Returns the collected changes in new buffers, and empties the list. */
  take(): RowChanges {
    const changes = {
      seqs: Float64Array.from(this.#seqs),
      createdAts: Float64Array.from(this.#createdAts),
      steps: Float64Array.from(this.#steps),
      codes: joined(this.#codes),
    };
    this.#seqs = [];
    this.#createdAts = [];
    this.#steps = [];
    this.#codes = [];
    return changes;
  }
}

function joined(rows: readonly Int8Array[]): Int8Array<ArrayBuffer> {
  const codes = new Int8Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    codes.set(row, at);
    at += row.length;
  }
  return codes;
}
