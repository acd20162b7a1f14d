import { coarsened, type Quantized } from './codes/quantize.js';
import { SEQ_BYTES } from './seq-table.js';
import type { Candidate } from './top-candidates.js';

export interface Row {
  seq: number;
  createdAt: number;
}

/** A block of rows with room for more. All have the same step, so that the dot products of their codes are comparable. */
export interface Block {
  codes: Int8Array;
  seqs: Float64Array;
  createdAts: Float64Array;
  /** The largest step that any of its rows has had. */
  step: number;
}

/** Rows stored in columns. */
export interface RowChunk {
  seqs: Float64Array<ArrayBuffer>;
  createdAts: Float64Array<ArrayBuffer>;
  codes: Int8Array;
  /** The step of the codes, see `Quantized`. */
  step: number;
}

/** Rows in the form that a file contains. */
export interface SavedRows extends RowChunk {
  /** Upper bound of the distance between a row and its codes. */
  error: number;
}

/**
 * Number of rows in a block. The native scan reads from the start of a buffer,
 * so the matrix is a list of buffers. Growing copies little, and a scan can
 * stop between two buffers.
 */
export const BLOCK_ROWS = 4_096;
/** Blocks grow by multiples of this, and get room for this share of more rows. Most organizations are small. */
const [ROWS_STEP, SPARE_SHARE] = [64, 1 / 8];

/** Size of seq and time of a row. */
const SEQ_AND_TIME_BYTES = 16;

/** Returns the approximate size of `rows` rows in buffers with room for `room`. */
export function bytesOfRows(room: number, rows: number, dimensions: number): number {
  return room * (dimensions + SEQ_AND_TIME_BYTES) + rows * SEQ_BYTES;
}

/** Returns the number of rows for which a block gets room if it lacks the last of all `rows` rows. */
export function roomOfBlock(rows: number, index: number): number {
  const room = Math.ceil((rows * (1 + SPARE_SHARE)) / ROWS_STEP) * ROWS_STEP;
  return Math.min(BLOCK_ROWS, room - index * BLOCK_ROWS);
}

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

/** Writes a row at an index. The finer of the two steps, of the row or the block, is converted to the coarser. */
export function writeRow(block: Block, at: number, { seq, createdAt }: Row, vector: Quantized): void {
  if (vector.step > block.step) {
    if (block.step > 0) block.codes = coarsened(block, vector.step);
    block.step = vector.step;
  }
  block.codes.set(coarsened(vector, block.step), at * vector.codes.length);
  block.seqs[at] = seq;
  block.createdAts[at] = createdAt;
}

/** Writes the rows of a chunk at consecutive indexes. The finer of the two steps is converted to the coarser. */
export function writeRows(block: Block, at: number, chunk: RowChunk, dimensions: number): void {
  if (chunk.step > block.step) {
    if (block.step > 0) block.codes = coarsened(block, chunk.step);
    block.step = chunk.step;
  }
  block.codes.set(coarsened(chunk, block.step), at * dimensions);
  block.seqs.set(chunk.seqs, at);
  block.createdAts.set(chunk.createdAts, at);
}

/** Returns a view of some rows of a chunk. */
export function sliceOf({ seqs, createdAts, codes, step }: RowChunk, from: number, to: number): RowChunk {
  const dimensions = codes.length / seqs.length;
  return {
    seqs: seqs.subarray(from, to),
    createdAts: createdAts.subarray(from, to),
    codes: codes.subarray(from * dimensions, to * dimensions),
    step,
  };
}

/** Returns a view of the codes of a row, which changes with it. */
export function codesAt(block: Block, row: number, dimensions: number): Quantized {
  return { codes: block.codes.subarray(row * dimensions, (row + 1) * dimensions), step: block.step };
}

export function candidateAt(block: Block, row: number, similarity: number): Candidate {
  return { seq: block.seqs[row] as number, createdAt: block.createdAts[row] as number, similarity };
}

/** Reports if rows fit into a block. The native scan reads from the start of a buffer. */
export function isBlock({ seqs, codes }: RowChunk): boolean {
  return seqs.length <= BLOCK_ROWS && codes.byteOffset === 0;
}
