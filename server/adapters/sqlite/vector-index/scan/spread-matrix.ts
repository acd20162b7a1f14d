import { setImmediate } from 'node:timers/promises';
import { BLOCK_ROWS, type Row, type RowChunk, type SavedRows } from './block.js';
import { CodeErrors } from './codes/code-errors.js';
import type { Quantized, QuantizedVector } from './codes/quantize.js';
import { newColumnKernel } from './columns/column-kernel.js';
import { VectorMatrix } from './matrix.js';
import { type Found, type MatrixSearch, unseenBy } from './matrix-search.js';
import type { SavedMatrix } from './saved-matrix.js';
import type { Scan } from './scan.js';
import { SEQ_BYTES, SeqTable } from './seq-table.js';
import { LostThreadError } from './threads/scan-thread.js';
import type { ScanThreads } from './threads/scan-threads.js';
import type { Shard } from './threads/shard.js';
import { best, type Candidate } from './top-candidates.js';

/**
 * Number of rows copied for the threads in one turn of the event loop: two megabytes at 1,024 dimensions, in about a
 * millisecond.
 */
const COPIED_ROWS = BLOCK_ROWS / 2;

/** Reports that a row moved during a copy, so that the copy may lack it. */
export class MovedError extends Error {
  override name = 'MovedError';
}

/**
 * Stores quantized vectors by the seq of their memories.
 *
 * All rows are in the main thread. Rows beyond the first `localRows` also have
 * a copy in a scan thread. With each of these, one of the first rows gets a
 * copy too, until the main thread scans none. If a thread ends, no row is lost,
 * and the main thread scans all rows.
 */
export class SpreadMatrix {
  readonly dimensions: number;
  readonly #rows: VectorMatrix;
  readonly #threads: ScanThreads;
  /** Undefined until a row needs them. */
  #shards: readonly Shard[] | undefined;
  /** The index of the shard of each row that a thread scans. */
  readonly #places = new SeqTable();
  readonly #errors: CodeErrors;
  #coarsestStep = 0;
  #moves = 0;
  /**
   * True for a saved matrix until `spread`. Meanwhile no row is handed to a thread, since starting threads takes long.
   */
  #awaitsSpread: boolean;

  /** @param saved its first rows. It keeps their arrays */
  constructor(dimensions: number, scan: Scan, threads: ScanThreads, saved?: SavedMatrix) {
    this.dimensions = dimensions;
    const columns = { newKernel: newColumnKernel, maxRows: threads.localRows };
    this.#rows = new VectorMatrix(dimensions, scan, { contents: saved?.contents, columns });
    this.#threads = threads;
    this.#errors = new CodeErrors(dimensions);
    for (const [step, error] of saved?.errors ?? []) {
      this.#errors.add(step, error);
      this.#coarsestStep = Math.max(this.#coarsestStep, step);
    }
    this.#awaitsSpread = saved !== undefined;
  }

  /** The largest step of any row, including former ones. */
  get coarsestStep(): number {
    return this.#coarsestStep;
  }

  /** Upper bound of the distance between any row and its codes, in every thread. */
  get codeError(): number {
    return this.#errors.upTo();
  }

  /** True if threads scan some of its rows. */
  get isSpread(): boolean {
    return this.#places.size > 0;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Approximate size in all threads, including room for future rows. */
  get bytes(): number {
    const copies = (this.#shards ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
    return this.#rows.bytes + copies + this.#places.size * SEQ_BYTES;
  }

  /** Adds a row or replaces the row with this seq. The codes must not change any more. */
  put(row: Row, vector: QuantizedVector): void {
    // Rows without a copy come first, so that one scan covers them.
    const local = this.#places.size > 0 ? this.#withoutCopy : this.#threads.localRows;
    const isNew = !this.#rows.has(row.seq);
    const slot = this.#rows.put(row, vector);
    this.#coarsestStep = Math.max(this.#coarsestStep, vector.step);
    this.#errors.add(vector.step, vector.error);
    const shard = this.#shardOf(row.seq);
    if (shard) shard.replace(row, vector);
    else if (isNew && slot >= local && !this.#awaitsSpread) {
      this.#spread(row, vector);
      this.#spreadLastLocal();
    }
  }

  /**
   * Resolves when the threads have a copy of each row, if these are too many for the main thread. Gives others a turn
   * after each chunk. At any time, the main thread scans the rows without a copy.
   */
  async spread(): Promise<void> {
    this.#awaitsSpread = false;
    if (!this.isSpread && this.size <= this.#threads.localRows) return;
    for (let end = this.#withoutCopy; end > 0; end = this.#withoutCopy) {
      const shard = this.#emptiest();
      if (!shard) return;
      const start = Math.max(0, Math.floor((end - 1) / COPIED_ROWS) * COPIED_ROWS);
      this.#hand(shard, this.#rows.copy(start, end - start));
      await setImmediate();
    }
  }

  /** Copies the rows with these seqs, and returns the seqs without a row. */
  pick(seqs: readonly number[]): { chunks: SavedRows[]; missing: number[] } {
    const chunks = this.#rows.pick(seqs).map((chunk) => ({ ...chunk, error: this.#errors.upTo(chunk.step) }));
    return { chunks, missing: seqs.filter((seq) => !this.#rows.has(seq)) };
  }

  remove(seq: number): void {
    if (!this.#rows.has(seq)) return;
    this.#moves += 1;
    const moved = this.#rows.remove(seq);
    // If one of the first rows is removed, the last row moves there and needs no copy.
    const left = this.#places.has(seq) ? seq : moved;
    if (left === undefined) return;
    this.#shardOf(left)?.remove(left);
    this.#places.delete(left);
  }

  /** Returns the best rows. A row that changes meanwhile may be returned in its old or its new state. */
  async search(search: MatrixSearch): Promise<Found> {
    const shards = (this.#shards ?? []).filter(({ rows }) => rows > 0);
    if (shards.length === 0) return this.#rows.search(search);
    this.#rows.requireComparable(search.query.codes);
    const asked = shards.map((shard) => shard.search(search));
    const here = this.#rows.search(search, this.#withoutCopy);
    try {
      return joined([here, ...(await Promise.all(asked))], search.k);
    } catch (error) {
      if (!(error instanceof LostThreadError)) throw error;
      this.#gather();
      return this.#rows.search(search);
    }
  }

  /** Returns the `k` best of the rows with these seqs. Does not scan other rows. */
  searchOnly(query: Quantized, seqs: Iterable<number>, k: number): Candidate[] {
    return this.#rows.searchOnly(query, seqs, k);
  }

  /**
   * Copies the rows that exist at the call in chunks, and gives others a turn between them. A row that is replaced
   * meanwhile is copied in its old or its new state.
   *
   * @throws {MovedError} if a row is removed before the copy is complete
   */
  copies(): AsyncGenerator<SavedRows> {
    return this.#copies(this.size, this.#moves);
  }

  /** Deletes what only makes searches faster. It is made again after some searches. */
  releaseColumns(): void {
    this.#rows.releaseColumns();
  }

  /** Deletes the rows from the threads. From then on the main thread scans all rows. */
  drop(): void {
    this.#gather();
  }

  async *#copies(rows: number, moves: number): AsyncGenerator<SavedRows> {
    for (let start = 0; start < rows; start += BLOCK_ROWS) {
      if (this.#moves !== moves) throw new MovedError();
      const copied = this.#rows.copy(start, Math.min(BLOCK_ROWS, rows - start));
      yield { ...copied, error: this.#errors.upTo(copied.step) };
      await setImmediate();
    }
  }

  /** Gives a thread rows. Their buffers are transferred. */
  #hand(shard: Shard, rows: RowChunk): void {
    const { seqs } = rows;
    this.#places.reserve(seqs.length);
    const place = this.#placeOf(shard);
    for (let row = 0; row < seqs.length; row += 1) this.#places.set(seqs[row] as number, place);
    shard.append(rows);
  }

  #spread(row: Row, vector: Quantized): void {
    const shard = this.#shards?.find(({ hasRoom }) => hasRoom) ?? this.#emptiest();
    if (!shard) return;
    this.#places.set(row.seq, this.#placeOf(shard));
    shard.add(row, vector);
  }

  #emptiest(): Shard | undefined {
    if (!this.#shards) {
      this.#shards = this.#threads.shards(this.dimensions);
      this.releaseColumns();
    }
    return this.#shards.toSorted((a, b) => a.rows - b.rows)[0];
  }

  /** Returns the shard that has a copy of a row, if any. */
  #shardOf(seq: number): Shard | undefined {
    const place = this.#places.get(seq);
    return place === undefined ? undefined : this.#shards?.[place];
  }

  #placeOf(shard: Shard): number {
    return this.#shards?.indexOf(shard) ?? 0;
  }

  /** Number of rows without a copy. */
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

function joined(found: readonly Found[], k: number): Found {
  const lists = found.map((each) => each.candidates);
  const candidates = best(lists, k);
  return {
    candidates,
    unseen: Math.max(unseenBy(candidates, k), ...found.map(({ unseen }) => unseen)),
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
