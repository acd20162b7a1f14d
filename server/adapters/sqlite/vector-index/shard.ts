import { BLOCK_ROWS } from './block.js';
import type { IndexChunk } from './index-file.js';
import { bytesOfRows, type Row } from './matrix.js';
import { RowChangeList, type RowChanges } from './row-changes.js';
import { unpacked } from './scan-messages.js';
import type { ScanThread } from './scan-thread.js';
import type { Candidate } from './top-candidates.js';

/** The rows of a matrix that are in one thread. Changes of one turn are told together, and before any question. */
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

  get isLost(): boolean {
    return this.#thread.isLost;
  }

  /** Whether one more row fits into the blocks that there are. */
  get hasRoom(): boolean {
    return this.#rows % BLOCK_ROWS !== 0;
  }

  /** About what the thread has for them. */
  get bytes(): number {
    return bytesOfRows(Math.ceil(this.#rows / BLOCK_ROWS) * BLOCK_ROWS, this.#rows, this.#dimensions);
  }

  add(row: Row, codes: Int8Array): void {
    this.#rows += 1;
    this.replace(row, codes);
  }

  replace({ seq, createdAt }: Row, codes: Int8Array): void {
    this.#tellSoon();
    this.#changes.put(seq, createdAt, codes);
  }

  remove(seq: number): void {
    this.#rows -= 1;
    this.#tellSoon();
    this.#changes.remove(seq);
  }

  /** Hands many rows over, of which so many are new. */
  addAll(rows: IndexChunk, added: number): void {
    this.#rows += added;
    this.#tell();
    this.#tellChanges(rows);
  }

  /** The `k` best rows of this moment, best first. @throws {LostThreadError} */
  async search(query: Int8Array, k: number): Promise<Candidate[]> {
    this.#tell();
    return unpacked(await this.#thread.ask({ kind: 'search', matrix: this.#matrix, query, k }));
  }

  /** The `k` best of the rows with these seqs. @throws {LostThreadError} */
  async searchOnly(query: Int8Array, seqs: readonly number[], k: number): Promise<Candidate[]> {
    this.#tell();
    const question = { kind: 'search only', matrix: this.#matrix, query, seqs: new Float64Array(seqs), k } as const;
    return unpacked(await this.#thread.ask(question));
  }

  /** The first rows of a block. @throws {LostThreadError} */
  copy(block: number, rows: number): Promise<IndexChunk> {
    this.#tell();
    return this.#thread.ask({ kind: 'copy', matrix: this.#matrix, block, rows });
  }

  /** The thread forgets the rows. */
  drop(): void {
    this.#changes.take();
    this.#thread.tell({ kind: 'drop', matrix: this.#matrix });
  }

  #tellSoon(): void {
    if (this.#changes.isEmpty) queueMicrotask(() => this.#tell());
  }

  #tell(): void {
    if (!this.#changes.isEmpty) this.#tellChanges(this.#changes.take());
  }

  #tellChanges(changes: RowChanges): void {
    const buffers = new Set([changes.seqs, changes.createdAts, changes.codes].map(({ buffer }) => buffer));
    this.#thread.tell({ kind: 'change', matrix: this.#matrix, dimensions: this.#dimensions, changes }, [...buffers]);
  }
}
