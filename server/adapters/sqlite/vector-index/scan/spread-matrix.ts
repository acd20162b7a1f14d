import { setImmediate } from 'node:timers/promises';
import { BLOCK_ROWS, type Row, type SavedRows } from './block.js';
import { CodeErrors } from './code-errors.js';
import { BYTES_OF_A_SLOT, VectorMatrix } from './matrix.js';
import type { Quantized, QuantizedVector } from './quantize.js';
import type { Scan } from './scan.js';
import { LostThreadError } from './scan-thread.js';
import type { ScanThreads } from './scan-threads.js';
import type { Shard } from './shard.js';
import { best, type Candidate } from './top-candidates.js';

/** Rows that are copied in one turn of the event loop: half a megabyte at 1,024 dimensions. */
const COPIED_ROWS = BLOCK_ROWS / 8;

/** A row is at another place than it was when the copying began: the copy may lack it. */
export class MovedError extends Error {
  override name = 'MovedError';
}

/**
 * Quantized vectors by the seq of their memories.
 *
 * All rows are here. Those beyond the first have a copy in a thread as well,
 * which scans it while this one goes on with others; and for each of those one
 * of the first gets a copy too, so that in the end nothing is scanned here.
 * Should a thread end, no row is lost: from there on all are scanned here.
 */
export class SpreadMatrix {
  readonly dimensions: number;
  readonly #rows: VectorMatrix;
  readonly #threads: ScanThreads;
  /** Undefined before there is a row for them. */
  #shards: readonly Shard[] | undefined;
  /** Of the rows that a thread scans: all but the first. */
  readonly #places = new Map<number, Shard>();
  readonly #errors: CodeErrors;
  #coarsestStep = 0;
  #moves = 0;

  constructor(dimensions: number, scan: Scan, threads: ScanThreads) {
    this.dimensions = dimensions;
    this.#rows = new VectorMatrix(dimensions, scan);
    this.#threads = threads;
    this.#errors = new CodeErrors(dimensions);
  }

  /** The largest step of a row that is, or has been, in it. */
  get coarsestStep(): number {
    return this.#coarsestStep;
  }

  /** Upper bound of the distance between any row and its codes, wherever they are scanned. */
  get codeError(): number {
    return this.#errors.upTo();
  }

  /** Whether threads scan rows of it. */
  get isSpread(): boolean {
    return this.#places.size > 0;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** About what it takes in all threads, the room for rows to come included. */
  get bytes(): number {
    const copies = (this.#shards ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
    return this.#rows.bytes + copies + this.#places.size * BYTES_OF_A_SLOT;
  }

  /** Adds a row or replaces the one with this seq. The codes must not change any more. */
  put(row: Row, vector: QuantizedVector): void {
    // The rows without a copy are the first ones, so that a scan can take them together.
    const local = this.#places.size > 0 ? this.#withoutCopy : this.#threads.localRows;
    const slot = this.#rows.put(row, vector);
    this.#coarsestStep = Math.max(this.#coarsestStep, vector.step);
    this.#errors.add(vector.step, vector.error);
    const place = this.#places.get(row.seq);
    if (place) place.replace(row, vector);
    else if (slot >= local) {
      this.#spread(row, vector);
      this.#spreadLastLocal();
    }
  }

  remove(seq: number): void {
    if (!this.#rows.has(seq)) return;
    this.#moves += 1;
    const moved = this.#rows.remove(seq);
    // Where one of the first goes, the last becomes one of those.
    const left = this.#places.has(seq) ? seq : moved;
    if (left === undefined) return;
    this.#places.get(left)?.remove(left);
    this.#places.delete(left);
  }

  /** The `k` best rows, best first. A row that changes until they are told may be among them as it was, or as it is. */
  async search(query: Quantized, k: number): Promise<Candidate[]> {
    const shards = (this.#shards ?? []).filter(({ rows }) => rows > 0);
    if (shards.length === 0) return this.#rows.search(query, k);
    this.#rows.requireComparable(query.codes);
    const asked = shards.map((shard) => shard.search(query, k));
    const here = this.#rows.search(query, k, this.#withoutCopy);
    try {
      return best([here, ...(await Promise.all(asked))], k);
    } catch (error) {
      if (!(error instanceof LostThreadError)) throw error;
      this.#gather();
      return this.#rows.search(query, k);
    }
  }

  /** The `k` best of the rows with these seqs; others are not looked at. */
  searchOnly(query: Quantized, seqs: Iterable<number>, k: number): Candidate[] {
    return this.#rows.searchOnly(query, seqs, k);
  }

  /**
   * Copies of the rows that there are at the call, a block at a time, others having a turn in between. Of those that
   * are replaced meanwhile it may be either.
   *
   * @throws {MovedError} when a row is removed before they are all there
   */
  copies(): AsyncGenerator<SavedRows> {
    return this.#copies(this.size, this.#moves);
  }

  /** The threads forget the rows; from here on all are scanned here. */
  drop(): void {
    this.#gather();
  }

  async *#copies(rows: number, moves: number): AsyncGenerator<SavedRows> {
    for (let start = 0; start < rows; start += COPIED_ROWS) {
      if (this.#moves !== moves) throw new MovedError();
      const copied = this.#rows.copy(start, Math.min(COPIED_ROWS, rows - start));
      yield { ...copied, error: this.#errors.upTo(copied.step) };
      await setImmediate();
    }
  }

  #spread(row: Row, vector: Quantized): void {
    this.#shards ??= this.#threads.shards(this.dimensions);
    const shard = this.#shards.find(({ hasRoom }) => hasRoom) ?? emptiest(this.#shards);
    if (!shard) return;
    this.#places.set(row.seq, shard);
    shard.add(row, vector);
  }

  /** How many have no copy. */
  get #withoutCopy(): number {
    return this.size - this.#places.size;
  }

  #spreadLastLocal(): void {
    if (this.#places.size === 0 || this.#withoutCopy === 0) return;
    const { seqs, createdAts, codes, step } = this.#rows.copy(this.#withoutCopy - 1, 1);
    const [seq] = seqs;
    const [createdAt] = createdAts;
    if (seq !== undefined && createdAt !== undefined) this.#spread({ seq, createdAt }, { codes, step });
  }

  #gather(): void {
    for (const shard of this.#shards ?? []) shard.drop();
    this.#shards = [];
    this.#places.clear();
  }
}

/** Undefined where there are none. */
function emptiest(shards: readonly Shard[]): Shard | undefined {
  return shards.toSorted((a, b) => a.rows - b.rows)[0];
}
