import { type Block, candidateAt } from './block.js';
import type { Quantized } from './codes/quantize.js';
import type { Scan } from './scan.js';
import { type CandidateOf, TopCandidates } from './top-candidates.js';

/**
 * Where single rows are copied to be scanned, from the start, as the native scan needs them. One for all matrices, since a
 * comparison copies rows and compares them before any other one does.
 */
let copies = new Int8Array();

/** Returns room for rows. */
function roomForCopies(rows: number, dimensions: number): Int8Array {
  const length = rows * dimensions;
  if (copies.length < length) copies = new Int8Array(length);
  return copies;
}

/** Receives a sum of what `lookUpPages` reads. Otherwise V8 could leave out the reads. */
const lookedUp = new Int8Array(1);

/**
 * Reads a byte of each row. So the processor looks up the pages of several rows at once, and then copies rows that are in no
 * cache in four fifths of the time.
 */
function lookUpPages(codes: Int8Array, rows: ArrayLike<number>, dimensions: number): void {
  let sum = 0;
  for (let n = 0; n < rows.length; n += 1) sum += codes[(rows[n] as number) * dimensions] as number;
  lookedUp[0] = sum;
}

interface ComparisonOptions {
  scan: Scan;
  query: Quantized;
  /** Number of rows to keep. */
  k: number;
  /** Maximum number of rows that are copied together. */
  together: number;
}

/** Compares rows with one query, and keeps the best. */
export class Comparison {
  readonly query: Quantized;
  readonly top: TopCandidates;
  readonly #scan: Scan;
  readonly #codes: Int8Array;
  readonly #together: number;
  readonly #dimensions: number;
  /** The copied rows, and the blocks that have them. */
  #rows: number[] = [];
  #blocks: Block[] = [];
  /** The blocks of copied candidates, by seq. */
  readonly #blockOf = new Map<number, Block>();
  #step = 0;
  #bytes = 0;
  #copiedRows = 0;

  constructor({ scan, query, k, together }: ComparisonOptions) {
    this.query = query;
    this.top = new TopCandidates(k);
    this.#scan = scan;
    this.#together = together;
    this.#dimensions = query.codes.length;
    this.#codes = roomForCopies(together, this.#dimensions);
  }

  /** Number of bytes of codes that were compared. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of rows that were copied. */
  get copied(): number {
    return this.#copiedRows;
  }

  /** Compares the first rows of a block. */
  scan(block: Block, rows: number): void {
    const codes = block.codes.subarray(0, rows * this.#dimensions);
    this.#scanInto(codes, block.step, (row, similarity) => candidateAt(block, row, similarity));
  }

  /** Compares the first rows of a block of which some have been compared already. */
  scanAgain(block: Block, rows: number): void {
    this.finish();
    this.top.candidates = this.top.candidates.filter(({ seq }) => this.#blockOf.get(seq) !== block);
    this.scan(block, rows);
  }

  /** Compares rows of a block together with others, at the latest in `finish`. */
  add(block: Block, rows: ArrayLike<number>): void {
    if (block.step !== this.#step) this.finish();
    this.#step = block.step;
    lookUpPages(block.codes, rows, this.#dimensions);
    for (let n = 0; n < rows.length; n += 1) {
      const row = rows[n] as number;
      if (this.#rows.length === this.#together) this.finish();
      const start = row * this.#dimensions;
      this.#codes.set(block.codes.subarray(start, start + this.#dimensions), this.#rows.length * this.#dimensions);
      this.#rows.push(row);
      this.#blocks.push(block);
    }
  }

  /** Compares the added rows. */
  finish(): void {
    const [rows, blocks] = [this.#rows, this.#blocks];
    if (rows.length === 0) return;
    this.#rows = [];
    this.#blocks = [];
    this.#copiedRows += rows.length;
    const codes = this.#codes.subarray(0, rows.length * this.#dimensions);
    this.#scanInto(codes, this.#step, (n, similarity) => {
      const block = blocks[n] as Block;
      const candidate = candidateAt(block, rows[n] as number, similarity);
      this.#blockOf.set(candidate.seq, block);
      return candidate;
    });
  }

  #scanInto(codes: Int8Array, step: number, at: CandidateOf): void {
    const scanned = this.#scan(codes, this.query.codes, Math.min(this.top.wanted, codes.length / this.#dimensions));
    this.#bytes += codes.length;
    this.top.add(scanned, step * this.query.step, at);
  }
}
