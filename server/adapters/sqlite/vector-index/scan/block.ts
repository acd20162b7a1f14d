import { coarsened, type Quantized } from './quantize.js';
import type { Candidate } from './top-candidates.js';

export interface Row {
  seq: number;
  createdAt: number;
}

/** Rows with room for more. All have the same step, so that the dot products of their codes can be compared. */
export interface Block {
  codes: Int8Array;
  seqs: Float64Array;
  createdAts: Float64Array;
  /** The largest that a row of it has had. */
  step: number;
}

/** Rows in columns. */
export interface RowChunk {
  seqs: Float64Array;
  createdAts: Float64Array;
  codes: Int8Array;
  /** Of the codes, see `Quantized`. */
  step: number;
}

/** Rows as a file keeps them. */
export interface SavedRows extends RowChunk {
  /** Upper bound of the distance between any of the rows and its codes. */
  error: number;
}

/**
 * Rows of a block. The native scan reads from the start of a buffer, so the
 * matrix is a list of buffers: growing copies little, and a scan can stop
 * between two of them.
 */
export const BLOCK_ROWS = 4_096;
/** The first block grows up to that, since most organizations are small. */
export const FIRST_ROWS = 64;

export function emptyBlock(rows: number, dimensions: number): Block {
  return {
    codes: new Int8Array(rows * dimensions),
    seqs: new Float64Array(rows),
    createdAts: new Float64Array(rows),
    step: 0,
  };
}

export function copyBlock(from: Block, to: Block): void {
  to.codes.set(from.codes);
  to.seqs.set(from.seqs);
  to.createdAts.set(from.createdAts);
  to.step = from.step;
}

/** Puts a row at a place, with its codes or those of the block at the coarser step of the two. */
export function writeRow(block: Block, at: number, { seq, createdAt }: Row, vector: Quantized): void {
  if (vector.step > block.step) {
    if (block.step > 0) block.codes = coarsened(block, vector.step);
    block.step = vector.step;
  }
  block.codes.set(coarsened(vector, block.step), at * vector.codes.length);
  block.seqs[at] = seq;
  block.createdAts[at] = createdAt;
}

/** The codes of a row, which change with it. */
export function codesAt(block: Block, row: number, dimensions: number): Quantized {
  return { codes: block.codes.subarray(row * dimensions, (row + 1) * dimensions), step: block.step };
}

/** A row of a block, not measured yet. */
export function candidateAt(block: Block, row: number): Candidate {
  return { seq: block.seqs[row] as number, createdAt: block.createdAts[row] as number, similarity: 0 };
}
