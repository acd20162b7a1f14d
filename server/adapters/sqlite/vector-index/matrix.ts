import { BLOCK_ROWS, type Block, candidateAt, copyBlock, emptyBlock, FIRST_ROWS } from './block.js';
import type { IndexChunk } from './index-file.js';
import { isRemoved, type RowChanges } from './row-changes.js';
import type { Scan } from './scan.js';
import { type Candidate, TopCandidates } from './top-candidates.js';

/** Seq and time of a row. */
const BYTES_BESIDE_CODES = 16;
/** An entry of a map from number to number. */
export const BYTES_OF_A_SLOT = 40;

/** About what rows take, with room for so many. */
export function bytesOfRows(room: number, rows: number, dimensions: number): number {
  return room * (dimensions + BYTES_BESIDE_CODES) + rows * BYTES_OF_A_SLOT;
}

export interface Row {
  seq: number;
  createdAt: number;
}

/** Quantized vectors by the seq of their memories, without gaps: a removed row is replaced by the last one. */
export class VectorMatrix {
  readonly dimensions: number;
  readonly #scan: Scan;
  readonly #blocks: Block[] = [];
  readonly #slots = new Map<number, number>();
  #scratch: Int8Array | undefined;

  constructor(dimensions: number, scan: Scan) {
    this.dimensions = dimensions;
    this.#scan = scan;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** About what it takes, the room for rows to come included. */
  get bytes(): number {
    const room = this.#blocks.reduce((sum, { seqs }) => sum + seqs.length, 0);
    return bytesOfRows(room, this.size, this.dimensions);
  }

  has(seq: number): boolean {
    return this.#slots.has(seq);
  }

  /** Copies of the first rows of a block, of which there may be fewer. */
  copy(index: number, rows: number): IndexChunk {
    const block = this.#blocks[index] ?? emptyBlock(0, this.dimensions);
    const there = Math.max(0, Math.min(rows, this.size - index * BLOCK_ROWS));
    return {
      seqs: block.seqs.slice(0, there),
      createdAts: block.createdAts.slice(0, there),
      codes: block.codes.slice(0, there * this.dimensions),
    };
  }

  change({ seqs, createdAts, codes }: RowChanges): void {
    let start = 0;
    for (const [index, seq] of seqs.entries()) {
      const createdAt = createdAts[index] as number;
      if (isRemoved(createdAt)) {
        this.remove(seq);
        continue;
      }
      this.put({ seq, createdAt }, codes.subarray(start, start + this.dimensions));
      start += this.dimensions;
    }
  }

  /** Adds a row or replaces the one with this seq; the codes are copied. Gives its place among the rows. */
  put(row: Row, codes: Int8Array): number {
    this.requireComparable(codes);
    const known = this.#slots.get(row.seq);
    const slot = known ?? this.size;
    if (known === undefined) this.#slots.set(row.seq, slot);
    const block = this.#room(slot);
    const at = slot % BLOCK_ROWS;
    block.codes.set(codes, at * this.dimensions);
    block.seqs[at] = row.seq;
    block.createdAts[at] = row.createdAt;
    return slot;
  }

  /** Gives the seq of the row that took its place, where another was the last. */
  remove(seq: number): number | undefined {
    const slot = this.#slots.get(seq);
    if (slot === undefined) return undefined;
    const last = this.size - 1;
    const moved = slot === last ? undefined : this.#move(last, slot);
    this.#slots.delete(seq);
    if (last % BLOCK_ROWS === 0) this.#blocks.pop();
    return moved;
  }

  /** The `k` best of the first rows, or of all, best first. */
  search(query: Int8Array, k: number, first = this.size): Candidate[] {
    this.requireComparable(query);
    const top = new TopCandidates(k);
    for (const [index, block] of this.#blocks.entries()) {
      const rows = Math.min(BLOCK_ROWS, first - index * BLOCK_ROWS);
      if (rows <= 0) break;
      this.#scanInto(top, block.codes.subarray(0, rows * this.dimensions), query, (row) => candidateAt(block, row));
    }
    return top.candidates;
  }

  /** The `k` best of the rows with these seqs; others are not looked at. */
  searchOnly(query: Int8Array, seqs: Iterable<number>, k: number): Candidate[] {
    this.requireComparable(query);
    const top = new TopCandidates(k);
    const scratch = this.#scratchRows();
    let slots: number[] = [];
    const scanGathered = () => {
      const gathered = slots;
      const codes = scratch.subarray(0, gathered.length * this.dimensions);
      this.#scanInto(top, codes, query, (row) => this.#candidateAt(gathered[row] as number));
      slots = [];
    };
    for (const seq of seqs) {
      const slot = this.#slots.get(seq);
      if (slot === undefined) continue;
      scratch.set(this.#codes(slot), slots.length * this.dimensions);
      slots.push(slot);
      if (slots.length * this.dimensions === scratch.length) scanGathered();
    }
    if (slots.length > 0) scanGathered();
    return top.candidates;
  }

  /** @throws {Error} when the codes are of another length than those of the rows */
  requireComparable({ length }: Int8Array): void {
    if (length !== this.dimensions)
      throw new Error(`A vector of ${length} dimensions among vectors of ${this.dimensions}`);
  }

  #scanInto(top: TopCandidates, codes: Int8Array, query: Int8Array, at: (row: number) => Candidate): void {
    top.add(this.#scan(codes, query, Math.min(top.wanted, codes.length / this.dimensions)), at);
  }

  #candidateAt(slot: number): Candidate {
    return candidateAt(this.#block(slot), slot % BLOCK_ROWS);
  }

  #codes(slot: number): Int8Array {
    const start = (slot % BLOCK_ROWS) * this.dimensions;
    return this.#block(slot).codes.subarray(start, start + this.dimensions);
  }

  #move(from: number, to: number): number {
    const source = this.#block(from);
    const target = this.#block(to);
    const [fromRow, toRow] = [from % BLOCK_ROWS, to % BLOCK_ROWS];
    const seq = source.seqs[fromRow] as number;
    target.codes.set(this.#codes(from), toRow * this.dimensions);
    target.seqs[toRow] = seq;
    target.createdAts[toRow] = source.createdAts[fromRow] as number;
    this.#slots.set(seq, to);
    return seq;
  }

  #block(slot: number): Block {
    return this.#blocks[Math.floor(slot / BLOCK_ROWS)] as Block;
  }

  /** The block that holds a slot, made or made larger where necessary. */
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
