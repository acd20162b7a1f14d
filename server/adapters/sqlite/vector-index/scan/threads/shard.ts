import { BLOCK_ROWS, bytesOfRows, type Row, type RowChunk } from '../block.js';
import type { Quantized } from '../codes/quantize.js';
import type { Found, MatrixSearch } from '../matrix-search.js';
import { RowChangeList } from '../row-changes.js';
import { bytesOfSketches } from '../sketches/layout.js';
import type { ScanThread } from './scan-thread.js';

/** Maximum number of new and replaced rows that wait for the next search. Each message wakes the thread. */
const MAX_WAITING = 64;

/** The rows of a matrix that one thread scans. It sends its changes together, before any search. */
export class Shard {
  readonly #thread: ScanThread;
  readonly #matrix: number;
  readonly #dimensions: number;
  readonly #changes = new RowChangeList();
  #rows = 0;

  constructor(thread: ScanThread, matrix: number, dimensions: number) {
    this.#thread = thread;
    this.#matrix = matrix;
    this.#dimensions = dimensions;
  }

  get rows(): number {
    return this.#rows;
  }

  /** True if one more row fits into the existing blocks. */
  get hasRoom(): boolean {
    return this.#rows % BLOCK_ROWS !== 0;
  }

  /** Approximate size in the thread, with the sketches that it may make. */
  get bytes(): number {
    const room = Math.ceil(this.#rows / BLOCK_ROWS) * BLOCK_ROWS;
    return bytesOfRows(room, this.#rows, this.#dimensions) + bytesOfSketches(this.#rows, this.#dimensions);
  }

  /** The codes must not change any more. */
  add(row: Row, vector: Quantized): void {
    this.#rows += 1;
    this.replace(row, vector);
  }

  /** The codes must not change any more. */
  replace(row: Row, vector: Quantized): void {
    this.#changes.put(row, vector);
    if (this.#changes.length >= MAX_WAITING) this.#tell();
  }

  /** Adds rows that the matrix does not have. Their buffers are transferred: the caller can no longer use them. */
  append({ seqs, createdAts, codes, step }: RowChunk): void {
    this.#tell();
    this.#rows += seqs.length;
    const rows = { seqs, createdAts, codes, step };
    const buffers = new Set([seqs, createdAts, codes].map(({ buffer }) => buffer as ArrayBuffer));
    this.#thread.tell({ kind: 'append', matrix: this.#matrix, dimensions: this.#dimensions, rows }, [...buffers]);
  }

  remove(seq: number): void {
    this.#rows -= 1;
    this.#changes.remove(seq);
    // The thread does not keep a removed row until the next search.
    queueMicrotask(() => this.#tell());
  }

  /** Returns the best of the current rows. @throws {LostThreadError} */
  search(search: MatrixSearch): Promise<Found> {
    this.#tell();
    return this.#thread.search(this.#matrix, search);
  }

  /** Makes the thread delete the rows. */
  drop(): void {
    this.#changes.take();
    this.#thread.tell({ kind: 'drop', matrix: this.#matrix });
  }

  #tell(): void {
    if (this.#changes.isEmpty) return;
    const changes = this.#changes.take();
    const buffers = [changes.seqs, changes.createdAts, changes.steps, changes.codes].map(({ buffer }) => buffer);
    this.#thread.tell({ kind: 'change', matrix: this.#matrix, dimensions: this.#dimensions, changes }, buffers);
  }
}
