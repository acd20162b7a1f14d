import { type Block, candidateAt } from './block.js';
import type { Quantized } from './quantize.js';
import type { Scan } from './scan.js';
import { TopCandidates } from './top-candidates.js';

/** Number of rows that are copied together. The native scan reads from the start of a buffer. */
const TOGETHER = 512;

/** Where single rows are copied to be scanned. Only one comparison uses it at a time. */
export class CopiedRows {
  readonly #dimensions: number;
  #codes: Int8Array | undefined;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  get codes(): Int8Array {
    this.#codes ??= new Int8Array(TOGETHER * this.#dimensions);
    return this.#codes;
  }
}

/** Compares rows with one query, and keeps the best. */
export class Comparison {
  readonly query: Quantized;
  readonly top: TopCandidates;
  readonly #scan: Scan;
  readonly #copied: CopiedRows;
  #rows: { block: Block; row: number }[] = [];
  #bytes = 0;

  constructor(scan: Scan, copied: CopiedRows, query: Quantized, k: number) {
    this.query = query;
    this.top = new TopCandidates(k);
    this.#scan = scan;
    this.#copied = copied;
  }

  /** Number of bytes of codes that were compared. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Compares the first rows of a block. */
  scan(block: Block, rows: number): void {
    const codes = block.codes.subarray(0, rows * this.#dimensions);
    this.#scanInto(codes, block.step, (row) => ({ block, row }));
  }

  /** Compares the first rows of a block of which some have been compared already. */
  scanAgain(block: Block, rows: number): void {
    this.finish();
    const seqs = new Set(block.seqs);
    this.top.candidates = this.top.candidates.filter(({ seq }) => !seqs.has(seq));
    this.scan(block, rows);
  }

  /** Compares a row together with others, at the latest in `finish`. */
  add(block: Block, row: number): void {
    const last = this.#rows.at(-1);
    if (this.#rows.length === TOGETHER || (last && last.block.step !== block.step)) this.finish();
    const start = row * this.#dimensions;
    const codes = block.codes.subarray(start, start + this.#dimensions);
    this.#copied.codes.set(codes, this.#rows.length * this.#dimensions);
    this.#rows.push({ block, row });
  }

  /** Compares the added rows. */
  finish(): void {
    const rows = this.#rows;
    const [first] = rows;
    if (!first) return;
    this.#rows = [];
    const codes = this.#copied.codes.subarray(0, rows.length * this.#dimensions);
    this.#scanInto(codes, first.block.step, (n) => rows[n] as { block: Block; row: number });
  }

  get #dimensions(): number {
    return this.query.codes.length;
  }

  #scanInto(codes: Int8Array, step: number, at: (row: number) => { block: Block; row: number }): void {
    const scanned = this.#scan(codes, this.query.codes, Math.min(this.top.wanted, codes.length / this.#dimensions));
    this.#bytes += codes.length;
    this.top.add(scanned, step * this.query.step, (n, similarity) => {
      const { block, row } = at(n);
      return candidateAt(block, row, similarity);
    });
  }
}
