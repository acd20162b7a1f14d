import {
  BLOCK_ROWS,
  type Block,
  bytesOfRows,
  codesAt,
  copyBlock,
  emptyBlock,
  isBlock,
  type Row,
  type RowChunk,
  roomOfBlock,
  sliceOf,
  writeRow,
  writeRows,
} from './block.js';
import type { Quantized } from './codes/quantize.js';
import { type ColumnOptions, MatrixColumns } from './columns/matrix-columns.js';
import { Comparison } from './comparison.js';
import { type Found, type MatrixSearch, NO_SIMILARITY, NOTHING, unseenBy } from './matrix-search.js';
import { isRemoved, type RowChanges } from './row-changes.js';
import type { Scan } from './scan.js';
import { type SeqEntries, SeqTable } from './seq-table.js';
import { BlockSketches, type SketchOptions } from './sketches/block-sketches.js';
import { FirstPasses } from './sketches/first-pass.js';
import { layoutFor } from './sketches/layout.js';
import { compareReached } from './sketches/two-passes.js';
import type { Candidate } from './top-candidates.js';

/** A search for more candidates reads no sketches: most rows could be among them. */
const ROWS_PER_WANTED = 64;
/** Number of rows that a search by sketches copies together, few enough for the caches of a processor. */
const COPIED_TOGETHER = 512;

/** The buffers of a matrix, to send it to another thread. */
export interface MatrixContents {
  blocks: Block[];
  slots: SeqEntries;
}

interface MatrixOptions {
  /** Those of another matrix, which must not be used any more. */
  contents?: MatrixContents | undefined;
  /** Makes the matrix use sketches. */
  sketches?: SketchOptions | undefined;
  /** Makes the matrix use columns. */
  columns?: ColumnOptions | undefined;
}

/** Stores quantized vectors by the seq of their memories, without gaps: the last row replaces a removed one. */
export class VectorMatrix {
  readonly dimensions: number;
  readonly #scan: Scan;
  readonly #blocks: Block[];
  readonly #slots: SeqTable;
  readonly #sketches: BlockSketches | undefined;
  readonly #passes: FirstPasses | undefined;
  readonly #columns: MatrixColumns | undefined;

  constructor(dimensions: number, scan: Scan, { contents, sketches, columns }: MatrixOptions = {}) {
    this.dimensions = dimensions;
    this.#scan = scan;
    this.#blocks = contents?.blocks ?? [];
    this.#slots = new SeqTable(contents?.slots);
    this.#columns = columns && new MatrixColumns(dimensions, this.#blocks, columns);
    const layout = sketches && layoutFor(dimensions);
    if (!layout) return;
    const fullBlocks = () => Math.floor(this.size / BLOCK_ROWS);
    this.#sketches = new BlockSketches(sketches, layout, this.#blocks, fullBlocks);
    this.#passes = new FirstPasses(this.#sketches);
  }

  /** Not a copy. */
  get contents(): MatrixContents {
    return { blocks: this.#blocks, slots: this.#slots.entries };
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Approximate size in memory, including sketches, columns and room for future rows. */
  get bytes(): number {
    const room = this.#blocks.reduce((sum, { seqs }) => sum + seqs.length, 0);
    const copies = (this.#sketches?.bytes ?? 0) + (this.#columns?.bytes ?? 0);
    return bytesOfRows(room, this.size, this.dimensions) + copies;
  }

  /** True if searches read the sketches of most rows. */
  get isSketched(): boolean {
    return this.#passes?.areWorthIt === true && 2 * (this.#sketches?.rows ?? 0) > this.size;
  }

  /** Deletes the columns, which are made again after some searches. */
  releaseColumns(): void {
    this.#columns?.release();
  }

  /** Does a part of the work on sketches, of about a millisecond at most. Returns false if there is none now. */
  advance(): boolean {
    return this.#passes?.areWorthIt === true && this.#sketches?.advance() === true;
  }

  has(seq: number): boolean {
    return this.#slots.has(seq);
  }

  /** Copies at most `rows` rows, starting at index `start`. All must be in one block. */
  copy(start: number, rows: number): RowChunk {
    const block = this.#blocks[Math.floor(start / BLOCK_ROWS)] ?? emptyBlock(0, this.dimensions);
    const from = start % BLOCK_ROWS;
    const to = from + Math.max(0, Math.min(rows, this.size - start));
    return {
      seqs: block.seqs.slice(from, to),
      createdAts: block.createdAts.slice(from, to),
      codes: block.codes.slice(from * this.dimensions, to * this.dimensions),
      step: block.step,
    };
  }

  change({ seqs, createdAts, steps, codes }: RowChanges): void {
    let start = 0;
    for (const [index, seq] of seqs.entries()) {
      const createdAt = createdAts[index] as number;
      if (isRemoved(createdAt)) {
        this.remove(seq);
        continue;
      }
      const own = codes.subarray(start, start + this.dimensions);
      this.put({ seq, createdAt }, { codes: own, step: steps[index] as number });
      start += this.dimensions;
    }
  }

  /** Adds a row or replaces the row with this seq. Copies the codes. Returns the index of the row. */
  put(row: Row, vector: Quantized): number {
    this.requireComparable(vector.codes);
    const known = this.#slots.get(row.seq);
    const slot = known ?? this.size;
    if (known === undefined) this.#slots.set(row.seq, slot);
    writeRow(this.#room(slot), slot % BLOCK_ROWS, row, vector);
    this.#changed(slot);
    return slot;
  }

  /** Makes room in the index of the rows for `rows` more of them at once. */
  reserve(rows: number): void {
    this.#slots.reserve(rows);
  }

  /** Returns buffers for the codes of the next `rows` rows, which can then be appended. */
  roomFor(rows: number): Int8Array[] {
    const buffers: Int8Array[] = [];
    const end = this.size + rows;
    for (let from = this.size, to = from; from < end; from = to) {
      const at = from % BLOCK_ROWS;
      to = Math.min(end, from - at + BLOCK_ROWS);
      buffers.push(this.#room(to - 1).codes.subarray(at * this.dimensions, (at + to - from) * this.dimensions));
    }
    return buffers;
  }

  /** Adds rows whose seqs it does not have. Copies them, or keeps their arrays as a block. */
  append(chunk: RowChunk): void {
    if (this.size === this.#blocks.length * BLOCK_ROWS && isBlock(chunk)) {
      const { seqs, createdAts, codes, step } = chunk;
      this.#setSlots(seqs, this.size);
      this.#blocks.push({ seqs, createdAts, codes, step });
      return;
    }
    for (let from = 0; from < chunk.seqs.length; ) {
      const slot = this.size;
      const at = slot % BLOCK_ROWS;
      const to = Math.min(chunk.seqs.length, from + BLOCK_ROWS - at);
      const rows = sliceOf(chunk, from, to);
      writeRows(this.#room(slot + rows.seqs.length - 1), at, rows, this.dimensions);
      this.#setSlots(rows.seqs, slot);
      for (let row = slot; row < this.size; row += 1) this.#changed(row);
      from = to;
    }
  }

  /** Copies the rows with these seqs, each chunk of one step. Omits seqs that it does not have. */
  pick(seqs: readonly number[]): RowChunk[] {
    const slotsByStep = new Map<number, number[]>();
    for (const seq of seqs) {
      const slot = this.#slots.get(seq);
      if (slot === undefined) continue;
      const { step } = this.#block(slot);
      const slots = slotsByStep.get(step);
      if (slots) slots.push(slot);
      else slotsByStep.set(step, [slot]);
    }
    return Array.from(slotsByStep, ([step, slots]) => {
      const codes = new Int8Array(slots.length * this.dimensions);
      for (const [row, slot] of slots.entries()) codes.set(this.#codes(slot).codes, row * this.dimensions);
      const rows = slots.map((slot) => ({ block: this.#block(slot), at: slot % BLOCK_ROWS }));
      return {
        seqs: Float64Array.from(rows, ({ block, at }) => block.seqs[at] as number),
        createdAts: Float64Array.from(rows, ({ block, at }) => block.createdAts[at] as number),
        codes,
        step,
      };
    });
  }

  /** Removes a row. Returns the seq of the row that moved to its index, if any. */
  remove(seq: number): number | undefined {
    const slot = this.#slots.get(seq);
    if (slot === undefined) return undefined;
    const last = this.size - 1;
    const moved = slot === last ? undefined : this.#move(last, slot);
    this.#slots.delete(seq);
    if (last % BLOCK_ROWS === 0) {
      this.#blocks.length = last / BLOCK_ROWS;
      this.#sketches?.cut(this.#blocks.length);
    }
    this.#columns?.cut(last);
    return moved;
  }

  /** Returns the best of the first `first` rows. */
  search(search: MatrixSearch, first = this.size): Found {
    this.requireComparable(search.query.codes);
    const found = first === this.size ? this.#columns?.search(search, first) : undefined;
    return found ?? this.searchAll([search], first)[0] ?? NOTHING;
  }

  /**
   * Runs several searches. Each block is read from memory once for all of them, since reading it takes longer than
   * comparing it with a query. Of blocks with sketches, those are read first.
   */
  searchAll(searches: readonly MatrixSearch[], first = this.size): Found[] {
    for (const { query } of searches) this.requireComparable(query.codes);
    const runs = searches.map(({ query, k, exact, needed }, n) => ({
      needed,
      comparison: this.#comparison(query, k, COPIED_TOGETHER),
      pass: exact || first < k * ROWS_PER_WANTED ? undefined : this.#passes?.begin(query, n),
    }));
    for (const { pass } of runs) pass?.addFirst(Math.floor(first / BLOCK_ROWS));
    // Another thread may read sketches while this one scans the other blocks.
    runs[0]?.pass?.begin();
    for (const [index, block] of this.#blocks.entries()) {
      const rows = Math.min(BLOCK_ROWS, first - index * BLOCK_ROWS);
      if (rows <= 0) break;
      for (const { comparison, pass } of runs) {
        if (!pass?.has(index)) comparison.scan(block, rows);
      }
    }
    return runs.map(({ comparison, pass, needed }) => {
      pass?.finish();
      const reached = pass && compareReached(pass, this.#blocks, comparison, needed);
      if (reached) this.#passes?.learn(pass, reached);
      const { candidates, wanted } = comparison.top;
      const unseen = Math.max(unseenBy(candidates, wanted), reached?.from ?? NO_SIMILARITY);
      return { candidates, unseen, bytes: comparison.bytes + (pass?.bytes ?? 0) };
    });
  }

  /** Returns the `k` best of the rows with these seqs. Does not scan other rows. */
  searchOnly(query: Quantized, seqs: Iterable<number>, k: number): Candidate[] {
    this.requireComparable(query.codes);
    const comparison = this.#comparison(query, k, Math.min(BLOCK_ROWS, Math.max(1, this.size)));
    for (const seq of seqs) {
      const slot = this.#slots.get(seq);
      if (slot !== undefined) comparison.add(this.#block(slot), [slot % BLOCK_ROWS]);
    }
    comparison.finish();
    return comparison.top.candidates;
  }

  /** @throws {Error} if the codes and the rows differ in length */
  requireComparable({ length }: Int8Array): void {
    if (length !== this.dimensions)
      throw new Error(`The vector has ${length} dimensions instead of ${this.dimensions}`);
  }

  #comparison(query: Quantized, k: number, together: number): Comparison {
    return new Comparison({ scan: this.#scan, query, k, together });
  }

  #changed(slot: number): void {
    this.#sketches?.changed(Math.floor(slot / BLOCK_ROWS), slot % BLOCK_ROWS);
    this.#columns?.changed(slot);
  }

  #codes(slot: number): Quantized {
    return codesAt(this.#block(slot), slot % BLOCK_ROWS, this.dimensions);
  }

  #move(from: number, to: number): number {
    const source = this.#block(from);
    const row = from % BLOCK_ROWS;
    const seq = source.seqs[row] as number;
    const createdAt = source.createdAts[row] as number;
    writeRow(this.#block(to), to % BLOCK_ROWS, { seq, createdAt }, this.#codes(from));
    this.#changed(to);
    this.#slots.set(seq, to);
    return seq;
  }

  /** @param first index of the first of these rows */
  #setSlots(seqs: Float64Array, first: number): void {
    this.#slots.reserve(seqs.length);
    // Iterating over entries takes several times as long.
    for (let row = 0; row < seqs.length; row += 1) this.#slots.set(seqs[row] as number, first + row);
  }

  #block(slot: number): Block {
    return this.#blocks[Math.floor(slot / BLOCK_ROWS)] as Block;
  }

  /** Returns the block that contains a slot. Creates or enlarges it if necessary. */
  #room(slot: number): Block {
    const index = Math.floor(slot / BLOCK_ROWS);
    const block = this.#blocks[index];
    const rows = (slot % BLOCK_ROWS) + 1;
    if (block && block.seqs.length >= rows) return block;
    const grown = emptyBlock(roomOfBlock(slot + 1, index), this.dimensions);
    if (block) copyBlock(block, grown);
    this.#blocks[index] = grown;
    return grown;
  }
}
