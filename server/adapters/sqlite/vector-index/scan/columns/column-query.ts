import { BLOCK_ROWS } from '../block.js';

/** Bytes of a group before its entries: their number, and the first sum of even rows, twice as int16. */
export const GROUP_BYTES = 8;
/** Bytes of an entry: the distance of a column from the first one, and a code, twice as int16. */
export const ENTRY_BYTES = 8;

/** The codes of even rows are stored with this bit inverted, so that they are not negative. It adds as much to them. */
export const BIAS = 128;

/** Largest sum of the sizes of the codes of a group. So its products with the codes of a row add up to an int16. */
const MAX_SIZE = 255;

/** Returns the size of the longest query. */
export function columnQueryBytes(dimensions: number): number {
  return dimensions * (GROUP_BYTES + ENTRY_BYTES) + GROUP_BYTES;
}

/**
 * Writes the codes of a query that are not 0, with the places of their columns, in groups. A group without entries is the end.
 *
 * @param words numbers of 32 bits, as many as fit into `columnQueryBytes`
 */
export function writeColumnQuery(codes: Int8Array, words: Uint32Array): void {
  let at = 0;
  for (let dimension = 0; dimension < codes.length; ) {
    const group = at;
    let [sum, size] = [0, 0];
    at += GROUP_BYTES / 4;
    for (; dimension < codes.length; dimension += 1) {
      const code = codes[dimension] as number;
      if (code === 0) continue;
      if (size + Math.abs(code) > MAX_SIZE) break;
      sum += code;
      size += Math.abs(code);
      words[at] = dimension * BLOCK_ROWS;
      words[at + 1] = twice(code);
      at += ENTRY_BYTES / 4;
    }
    words[group] = (at - group) / (ENTRY_BYTES / 4) - 1;
    words[group + 1] = twice(-BIAS * sum);
  }
  words[at] = 0;
}

function twice(int16: number): number {
  return (int16 & 0xffff) | (int16 << 16);
}
