/** Dimensions that share a table. */
export const TABLE_DIMENSIONS = 4;
const TABLE_ENTRIES = 2 ** TABLE_DIMENSIONS;
/** Four entries fit into a byte, see `scan` of `SketchKernel`. */
const LARGEST_ENTRY = 63;

/** Returns the size of the tables of a query. */
export function tablesBytes(dimensions: number): number {
  return (dimensions / TABLE_DIMENSIONS) * TABLE_ENTRIES;
}

/**
 * Writes a table for each four components of a query: their sums with all signs, plus the sum of their sizes. A bit
 * that is set in the number of an entry stands for a negative component of the row.
 *
 * @returns the step of the entries, and the sum of the sizes of all components
 */
export function writeTables(query: Float32Array, tables: Uint8Array): { step: number; sum: number } {
  let largest = Number.MIN_VALUE;
  let sum = 0;
  for (let at = 0; at < query.length; at += TABLE_DIMENSIONS) {
    const sizes = sizeOfFour(query, at);
    largest = Math.max(largest, sizes);
    sum += sizes;
  }
  const step = (2 * largest) / LARGEST_ENTRY;
  const entriesPerSum = 1 / step;
  for (let at = 0; at < query.length; at += TABLE_DIMENSIONS) {
    const a = (query[at] as number) * entriesPerSum;
    const b = (query[at + 1] as number) * entriesPerSum;
    const c = (query[at + 2] as number) * entriesPerSum;
    const d = (query[at + 3] as number) * entriesPerSum;
    const all = a + b + c + d + Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d);
    const start = (at / TABLE_DIMENSIONS) * TABLE_ENTRIES;
    writeFour(tables, start, all, a, b);
    writeFour(tables, start + 4, all - 2 * c, a, b);
    writeFour(tables, start + 8, all - 2 * d, a, b);
    writeFour(tables, start + 12, all - 2 * c - 2 * d, a, b);
  }
  return { step, sum };
}

/** Writes the entries for all signs of two components. */
function writeFour(tables: Uint8Array, at: number, all: number, a: number, b: number): void {
  tables[at] = rounded(all);
  tables[at + 1] = rounded(all - 2 * a);
  tables[at + 2] = rounded(all - 2 * b);
  tables[at + 3] = rounded(all - 2 * a - 2 * b);
}

/** Rounds a number that is at least -0.5, several times as fast as `Math.round`. */
function rounded(value: number): number {
  return (value + 0.5) | 0;
}

function sizeOfFour(values: Float32Array, start: number): number {
  let sum = 0;
  for (let at = start; at < start + TABLE_DIMENSIONS; at += 1) sum += Math.abs(values[at] as number);
  return sum;
}
