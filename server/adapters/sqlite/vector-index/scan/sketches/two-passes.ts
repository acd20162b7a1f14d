import { BLOCK_ROWS, type Block } from '../block.js';
import type { Comparison } from '../comparison.js';
import type { FirstPass } from './first-pass.js';

/** Share of the rows of a block from which scanning the block is faster than copying the rows. */
const COPY_BELOW = 1 / 5;
/** Rows that are compared first, for each wanted one. The worst wanted of these is almost that of all. */
const LIKELY_ROWS = 4;

/**
 * Compares the rows whose bounds reach the best rows of a comparison.
 *
 * @returns the number of rows that were copied, and of those in blocks that were scanned
 */
export function compareReached(
  pass: FirstPass,
  blocks: readonly Block[],
  comparison: Comparison,
): { copied: number; scanned: number } {
  const { top } = comparison;
  const before = comparison.copied;
  let scanned = 0;
  const likely = pass.likely(LIKELY_ROWS * top.wanted);
  for (const [n, index] of pass.blocks.entries()) comparison.add(blocks[index] as Block, pass.reached(n, likely));
  comparison.finish();
  for (const [n, index] of pass.blocks.entries()) {
    const block = blocks[index] as Block;
    const rows = pass.reached(n, top.worst, likely);
    if (rows.length < BLOCK_ROWS * COPY_BELOW) comparison.add(block, rows);
    else {
      comparison.scanAgain(block, BLOCK_ROWS);
      scanned += BLOCK_ROWS;
    }
  }
  comparison.finish();
  return { copied: comparison.copied - before, scanned };
}
