import { ROWS_TOGETHER } from './layout.js';

/** Numbers of rows, and the largest of each `ROWS_TOGETHER`. */
export interface RowNumbers {
  numbers: Float32Array;
  largest: Float32Array;
}

/**
 * Returns which rows have a number of at least `from`, and less than `below`, counted from the first row.
 *
 * @param first a multiple of `ROWS_TOGETHER`
 */
export function reachedRows(
  { numbers, largest }: RowNumbers,
  { first, rows }: { first: number; rows: number },
  from: number,
  below = Number.POSITIVE_INFINITY,
): number[] {
  const reached: number[] = [];
  const end = first + rows;
  for (let start = first; start < end; start += ROWS_TOGETHER) {
    if ((largest[start / ROWS_TOGETHER] as number) < from) continue;
    const next = Math.min(end, start + ROWS_TOGETHER);
    for (let row = start; row < next; row += 1) {
      const number = numbers[row] as number;
      if (number >= from && number < below) reached.push(row - first);
    }
  }
  return reached;
}
