import { BLOCK_ROWS, type Block } from '../block.js';
import type { Comparison } from '../comparison.js';
import { type Needed, NO_SIMILARITY } from '../matrix-search.js';
import type { TopCandidates } from '../top-candidates.js';
import type { FirstPass } from './first-pass.js';

/** Share of the rows of a block from which scanning the block is faster than copying the rows. */
const COPY_BELOW = 1 / 5;
/** Rows that are compared first, for each wanted one. The worst wanted of these is almost that of all. */
const LIKELY_ROWS = 4;

interface SecondPass {
  /** Number of rows that were copied. */
  copied: number;
  /** Number of rows of blocks that were scanned. */
  scanned: number;
  /** Rows whose bounds are below this similarity were not compared. */
  from: number;
}

/** Compares the rows whose bounds reach the best rows of a comparison, or those that are needed. */
export function compareReached(
  pass: FirstPass,
  blocks: readonly Block[],
  comparison: Comparison,
  needed?: Needed,
): SecondPass {
  const { top } = comparison;
  const before = comparison.copied;
  let scanned = 0;
  const likely = pass.likely(LIKELY_ROWS * top.wanted);
  for (const [n, index] of pass.blocks.entries()) comparison.add(blocks[index] as Block, pass.reached(n, likely));
  comparison.finish();
  const from = leastOf(top, needed);
  for (const [n, index] of pass.blocks.entries()) {
    const block = blocks[index] as Block;
    const rows = pass.reached(n, from, likely);
    if (rows.length < BLOCK_ROWS * COPY_BELOW) comparison.add(block, rows);
    else {
      comparison.scanAgain(block, BLOCK_ROWS);
      scanned += BLOCK_ROWS;
    }
  }
  comparison.finish();
  return { copied: comparison.copied - before, scanned, from };
}

/** Returns the least similarity of a row that may still be among those that are wanted and needed. */
function leastOf(top: TopCandidates, needed: Needed | undefined): number {
  const last = needed && top.candidates[needed.rows - 1];
  return Math.max(top.worst, last ? last.similarity - needed.within : NO_SIMILARITY);
}
