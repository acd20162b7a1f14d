import { setImmediate } from 'node:timers/promises';
import { BLOCK_ROWS } from './block.js';
import type { IndexChunk } from './index-file.js';
import { BYTES_OF_A_SLOT, type Row, VectorMatrix } from './matrix.js';
import type { Quantized } from './quantize.js';
import type { Scan } from './scan.js';
import type { ScanThreads } from './scan-threads.js';
import type { Shard } from './shard.js';
import { best, type Candidate } from './top-candidates.js';

/** A row is at another place than it was when the copying began: the copy may lack it. */
export class MovedError extends Error {
  override name = 'MovedError';
}

/** Where some rows can be copied from. */
interface Copied {
  source: Pick<VectorMatrix | Shard, 'copy'>;
  rows: number;
}

/**
 * Quantized vectors by the seq of their memories. The first rows are in this
 * thread, the others in scan threads, which look at theirs while this one
 * goes on.
 *
 * Every scan is of the rows of one moment, that of its call: what is changed
 * afterwards reaches each thread after the question.
 */
export class SpreadMatrix {
  readonly dimensions: number;
  readonly #local: VectorMatrix;
  readonly #threads: ScanThreads;
  #shards: readonly Shard[] = [];
  /** Of the rows that are not here. */
  readonly #places = new Map<number, Shard>();
  #coarsestStep = 0;
  #moves = 0;
  #isDropped = false;

  constructor(dimensions: number, scan: Scan, threads: ScanThreads) {
    this.dimensions = dimensions;
    this.#local = new VectorMatrix(dimensions, scan);
    this.#threads = threads;
  }

  /** The largest step of a row that is, or has been, in it. */
  get coarsestStep(): number {
    return this.#coarsestStep;
  }

  get size(): number {
    return this.#local.size + this.#places.size;
  }

  /** About what it takes, in all threads, the room for rows to come included. */
  get bytes(): number {
    const elsewhere = this.#shards.reduce((sum, { bytes }) => sum + bytes, 0);
    return this.#local.bytes + elsewhere + this.#places.size * BYTES_OF_A_SLOT;
  }

  /** Rows are gone with their thread. */
  get isLost(): boolean {
    return this.#shards.some(({ isLost, rows }) => isLost && rows > 0);
  }

  /** Adds a row or replaces the one with this seq. The codes must not change any more. */
  put(row: Row, { codes, step }: Quantized): void {
    this.#requireComparable(codes);
    if (this.#isDropped) return;
    this.#coarsestStep = Math.max(this.#coarsestStep, step);
    const place = this.#places.get(row.seq);
    if (place) place.replace(row, codes);
    else if (this.#local.has(row.seq) || this.#local.size < this.#threads.localRows) this.#local.put(row, codes);
    else this.#add(row, codes);
  }

  /** Puts rows that were read together, whose buffers are handed over. */
  putAll(rows: IndexChunk, coarsestStep: number): void {
    const { seqs, createdAts, codes } = rows;
    if (this.#local.size + seqs.length > this.#threads.localRows) {
      this.#addAll(rows, coarsestStep);
      return;
    }
    for (const [row, seq] of seqs.entries()) {
      const own = codes.subarray(row * this.dimensions, (row + 1) * this.dimensions);
      this.put({ seq, createdAt: createdAts[row] as number }, { codes: own, step: coarsestStep });
    }
  }

  remove(seq: number): void {
    const place = this.#places.get(seq);
    if (!place && !this.#local.has(seq)) return;
    this.#moves += 1;
    if (place) {
      this.#places.delete(seq);
      place.remove(seq);
    } else {
      this.#local.remove(seq);
    }
  }

  /** The `k` best rows, best first. @throws {LostThreadError} */
  async search(query: Int8Array, k: number): Promise<Candidate[]> {
    this.#requireComparable(query);
    const asked = this.#elsewhere().map((shard) => shard.search(query, k));
    return best([this.#local.search(query, k), ...(await Promise.all(asked))], k);
  }

  /** The `k` best of the rows with these seqs; others are not looked at. @throws {LostThreadError} */
  async searchOnly(query: Int8Array, seqs: readonly number[], k: number): Promise<Candidate[]> {
    this.#requireComparable(query);
    // Each thread picks out its own: to do that for all of them takes this one longer.
    const asked = seqs.length === 0 ? [] : this.#elsewhere().map((shard) => shard.searchOnly(query, seqs, k));
    return best([this.#local.searchOnly(query, seqs, k), ...(await Promise.all(asked))], k);
  }

  /**
   * Copies of the rows that there are at the call, some at a time, others having a turn in between. Of those that are
   * replaced meanwhile it may be either.
   *
   * @throws {MovedError} when a row is removed before they are all there
   * @throws {LostThreadError}
   */
  copies(): AsyncGenerator<IndexChunk> {
    const shards = this.#shards.map((shard) => ({ source: shard, rows: shard.rows }));
    return this.#copies([{ source: this.#local, rows: this.#local.size }, ...shards], this.#moves);
  }

  /** Lets go of all rows; from here on it stays empty. */
  drop(): void {
    this.#isDropped = true;
    this.#moves += 1;
    for (const shard of this.#shards) shard.drop();
    this.#shards = [];
    this.#places.clear();
  }

  async *#copies(parts: readonly Copied[], moves: number): AsyncGenerator<IndexChunk> {
    for (const { source, rows } of parts) {
      for (let block = 0; block * BLOCK_ROWS < rows; block += 1) {
        const chunk = await source.copy(block, Math.min(BLOCK_ROWS, rows - block * BLOCK_ROWS));
        if (this.#moves !== moves) throw new MovedError();
        yield chunk;
        await setImmediate();
      }
    }
  }

  #requireComparable({ length }: Int8Array): void {
    if (length !== this.dimensions)
      throw new Error(`A vector of ${length} dimensions among vectors of ${this.dimensions}`);
  }

  #elsewhere(): Shard[] {
    return this.#shards.filter(({ rows }) => rows > 0);
  }

  #add(row: Row, codes: Int8Array): void {
    const shard = this.#shardsThere().find(({ hasRoom }) => hasRoom) ?? this.#emptiest();
    this.#places.set(row.seq, shard);
    shard.add(row, codes);
  }

  #addAll(rows: IndexChunk, coarsestStep: number): void {
    if (this.#isDropped) return;
    this.#coarsestStep = Math.max(this.#coarsestStep, coarsestStep);
    const shard = this.#emptiest();
    let added = 0;
    for (const seq of rows.seqs) {
      if (this.#places.get(seq) === shard) continue;
      this.remove(seq);
      this.#places.set(seq, shard);
      added += 1;
    }
    shard.addAll(rows, added);
  }

  #emptiest(): Shard {
    return this.#shardsThere().reduce((least, shard) => (shard.rows < least.rows ? shard : least));
  }

  #shardsThere(): readonly Shard[] {
    if (this.#shards.length === 0) this.#shards = this.#threads.shards(this.dimensions);
    return this.#shards;
  }
}
