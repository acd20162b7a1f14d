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
  const sums = new Float64Array(TABLE_ENTRIES);
  for (let at = 0; at < query.length; at += TABLE_DIMENSIONS) {
    sums[0] = sizeOfFour(query, at);
    for (let n = 0; n < TABLE_DIMENSIONS; n += 1) sums[0] += query[at + n] as number;
    const start = (at / TABLE_DIMENSIONS) * TABLE_ENTRIES;
    tables[start] = rounded(sums[0] * entriesPerSum);
    for (let entry = 1; entry < TABLE_ENTRIES; entry += 1) {
      const lowest = 31 - Math.clz32(entry & -entry);
      const value = (sums[entry & (entry - 1)] as number) - 2 * (query[at + lowest] as number);
      sums[entry] = value;
      tables[start + entry] = rounded(value * entriesPerSum);
    }
  }
  return { step, sum };
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
