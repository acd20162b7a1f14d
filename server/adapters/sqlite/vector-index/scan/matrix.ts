import {
  BLOCK_ROWS,
  type Block,
  candidateAt,
  codesAt,
  copyBlock,
  emptyBlock,
  FIRST_ROWS,
  type Row,
  type RowChunk,
  sliceOf,
  writeRow,
  writeRows,
} from './block.js';
import type { Quantized } from './quantize.js';
import { isRemoved, type RowChanges } from './row-changes.js';
import type { Scan } from './scan.js';
import { SEQ_BYTES, type SeqEntries, SeqTable } from './seq-table.js';
import { type Candidate, type CandidateOf, TopCandidates } from './top-candidates.js';

/** Size of seq and time of a row. */
const SEQ_AND_TIME_BYTES = 16;

/** Returns the approximate size of `rows` rows in buffers with room for `room`. */
export function bytesOfRows(room: number, rows: number, dimensions: number): number {
  return room * (dimensions + SEQ_AND_TIME_BYTES) + rows * SEQ_BYTES;
}

export interface MatrixSearch {
  query: Quantized;
  /** Number of rows to find. */
  k: number;
}

/** The buffers of a matrix, to send it to another thread. */
export interface MatrixContents {
  blocks: Block[];
  slots: SeqEntries;
}

/** Stores quantized vectors by the seq of their memories, without gaps: the last row replaces a removed one. */
export class VectorMatrix {
  readonly dimensions: number;
  readonly #scan: Scan;
  readonly #blocks: Block[];
  readonly #slots: SeqTable;
  #scratch: Int8Array | undefined;

  /** @param contents those of another matrix, which must not be used any more */
  constructor(dimensions: number, scan: Scan, contents?: MatrixContents) {
    this.dimensions = dimensions;
    this.#scan = scan;
    this.#blocks = contents?.blocks ?? [];
    this.#slots = new SeqTable(contents?.slots);
  }

  /** Not a copy. */
  get contents(): MatrixContents {
    return { blocks: this.#blocks, slots: this.#slots.entries };
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Approximate size in memory, including room for future rows. */
  get bytes(): number {
    const room = this.#blocks.reduce((sum, { seqs }) => sum + seqs.length, 0);
    return bytesOfRows(room, this.size, this.dimensions);
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
    if (last % BLOCK_ROWS === 0) this.#blocks.length = last / BLOCK_ROWS;
    return moved;
  }

  /** Returns the `k` best of the first `first` rows, best first. */
  search(query: Quantized, k: number, first = this.size): Candidate[] {
    const [found = []] = this.searchAll([{ query, k }], first);
    return found;
  }

  /**
   * Runs several searches. Each block is read from memory once for all of them, since reading it takes longer than
   * comparing it with a query.
   */
  searchAll(searches: readonly MatrixSearch[], first = this.size): Candidate[][] {
    for (const { query } of searches) this.requireComparable(query.codes);
    const tops = searches.map(({ query, k }) => ({ query, top: new TopCandidates(k) }));
    for (const [index, block] of this.#blocks.entries()) {
      const rows = Math.min(BLOCK_ROWS, first - index * BLOCK_ROWS);
      if (rows <= 0) break;
      const vectors = { codes: block.codes.subarray(0, rows * this.dimensions), step: block.step };
      for (const { query, top } of tops)
        this.#scanInto(top, vectors, query, (row, similarity) => candidateAt(block, row, similarity));
    }
    return tops.map(({ top }) => top.candidates);
  }

  /** Returns the `k` best of the rows with these seqs. Does not scan other rows. */
  searchOnly(query: Quantized, seqs: Iterable<number>, k: number): Candidate[] {
    this.requireComparable(query.codes);
    const top = new TopCandidates(k);
    const scratch = this.#scratchRows();
    let slots: number[] = [];
    let step = 0;
    const scanGathered = () => {
      const gathered = slots;
      const codes = scratch.subarray(0, gathered.length * this.dimensions);
      if (gathered.length > 0) {
        this.#scanInto(top, { codes, step }, query, (row, similarity) =>
          this.#candidateAt(gathered[row] as number, similarity),
        );
      }
      slots = [];
    };
    for (const seq of seqs) {
      const slot = this.#slots.get(seq);
      if (slot === undefined) continue;
      const vector = this.#codes(slot);
      if (vector.step !== step || slots.length * this.dimensions === scratch.length) scanGathered();
      step = vector.step;
      scratch.set(vector.codes, slots.length * this.dimensions);
      slots.push(slot);
    }
    scanGathered();
    return top.candidates;
  }

  /** @throws {Error} if the codes and the rows differ in length */
  requireComparable({ length }: Int8Array): void {
    if (length !== this.dimensions)
      throw new Error(`The vector has ${length} dimensions instead of ${this.dimensions}`);
  }

  #scanInto(top: TopCandidates, { codes, step }: Quantized, query: Quantized, at: CandidateOf): void {
    const scanned = this.#scan(codes, query.codes, Math.min(top.wanted, codes.length / this.dimensions));
    top.add(scanned, step * query.step, at);
  }

  #candidateAt(slot: number, similarity: number): Candidate {
    return candidateAt(this.#block(slot), slot % BLOCK_ROWS, similarity);
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
    const capacity = index === 0 ? Math.min(BLOCK_ROWS, Math.max(FIRST_ROWS, 2 * (rows - 1))) : BLOCK_ROWS;
    const grown = emptyBlock(capacity, this.dimensions);
    if (block) copyBlock(block, grown);
    this.#blocks[index] = grown;
    return grown;
  }

  #scratchRows(): Int8Array {
    const rows = Math.min(BLOCK_ROWS, Math.max(1, this.size));
    const bytes = rows * this.dimensions;
    if (!this.#scratch || this.#scratch.length < bytes) this.#scratch = new Int8Array(bytes);
    return this.#scratch;
  }
}

/** Reports if rows fit into a block. The native scan reads from the start of a buffer. */
function isBlock({ seqs, codes }: RowChunk): boolean {
  return seqs.length <= BLOCK_ROWS && codes.byteOffset === 0;
}
