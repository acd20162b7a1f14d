import { BLOCK_ROWS } from '../block.js';

/** Sizes of the sketches of rows. A sketch has a head of int8 and one bit for each dimension of the rest. */
export interface SketchLayout {
  dimensions: number;
  /** Dimensions of the head. A multiple of 16. */
  head: number;
}

/** Rows that the kernel processes together. Their bits are together, and they have one largest bound. */
export const ROWS_TOGETHER = 16;

const MIN_DIMENSIONS = 512;
/** Sums of table entries, of four dimensions each, fit into 16 bits. */
const MAX_DIMENSIONS = 4_096;
/** The kernel processes two bytes of bits at once. */
const DIMENSIONS_STEP = 16;
/**
 * With 128, made-up texts have a third fewer candidates, and documents as many. But reading sketches takes a quarter
 * longer, and making them twice as long.
 */
const HEAD = 64;
/** A factor and a slack, see `SketchKernel`. */
const NUMBERS_BYTES = 8;

/** Returns undefined for vectors whose sketches would be hardly smaller, or that the kernel cannot read. */
export function layoutFor(dimensions: number): SketchLayout | undefined {
  const fits = dimensions >= MIN_DIMENSIONS && dimensions <= MAX_DIMENSIONS && dimensions % DIMENSIONS_STEP === 0;
  return fits ? { dimensions, head: HEAD } : undefined;
}

/** Returns the size of the sketch of a row. */
export function sketchBytes({ dimensions, head }: SketchLayout): number {
  return head + dimensions / 8 + NUMBERS_BYTES;
}

/** Returns the approximate size of the sketches of a matrix with this number of rows. */
export function bytesOfSketches(rows: number, dimensions: number): number {
  const layout = layoutFor(dimensions);
  const blocks = Math.floor(rows / BLOCK_ROWS);
  return layout && blocks >= MIN_BLOCKS ? blocks * BLOCK_ROWS * sketchBytes(layout) : 0;
}

/** Number of full blocks from which sketches are made. The preparation of a query takes as long as scanning 1,000 rows. */
export const MIN_BLOCKS = 2;
