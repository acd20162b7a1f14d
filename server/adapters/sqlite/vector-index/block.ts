import type { Candidate } from './top-candidates.js';

export interface Block {
  codes: Int8Array;
  seqs: Float64Array;
  createdAts: Float64Array;
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
  };
}

export function copyBlock(from: Block, to: Block): void {
  to.codes.set(from.codes);
  to.seqs.set(from.seqs);
  to.createdAts.set(from.createdAts);
}

/** A row of a block, not measured yet. */
export function candidateAt(block: Block, row: number): Candidate {
  return { seq: block.seqs[row] as number, createdAt: block.createdAts[row] as number, similarity: 0 };
}
