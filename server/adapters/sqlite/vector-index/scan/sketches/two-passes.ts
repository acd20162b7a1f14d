import { BLOCK_ROWS, type Block } from '../block.js';
import type { Comparison } from '../comparison.js';
import type { FirstPass } from './first-pass.js';

/** Share of the rows of a block from which scanning the block is faster than copying the rows. */
const COPY_BELOW = 1 / 5;
/** Rows that are compared first, for each wanted one. The worst wanted of these is almost that of all. */
const LIKELY_ROWS = 4;

/** Compares the rows whose bounds reach the best rows of a comparison. */
export function compareReached(pass: FirstPass, blocks: readonly Block[], comparison: Comparison): void {
  const { top } = comparison;
  const likely = pass.likely(LIKELY_ROWS * top.wanted);
  for (const [n, index] of pass.blocks.entries()) addRows(comparison, blocks[index] as Block, pass.reached(n, likely));
  comparison.finish();
  for (const [n, index] of pass.blocks.entries()) {
    const block = blocks[index] as Block;
    const rows = pass.reached(n, top.worst, likely);
    if (rows.length < BLOCK_ROWS * COPY_BELOW) addRows(comparison, block, rows);
    else comparison.scanAgain(block, BLOCK_ROWS);
  }
  comparison.finish();
}

function addRows(comparison: Comparison, block: Block, rows: Iterable<number>): void {
  for (const row of rows) comparison.add(block, row);
}
