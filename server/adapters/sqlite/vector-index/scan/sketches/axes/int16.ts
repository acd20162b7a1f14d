const LARGEST = 32_767;
const LARGEST_CODE = 127;
/** Used if all numbers are 0, so that the step is not. */
const SMALLEST = 1e-30;
/** Half of the largest int32, since rounding makes vectors longer. */
const MAX_PRODUCT = 2 ** 30;

/** Returns the length of the longest vector of int16 whose product with any vector of codes is an int32. */
export function longestFor(dimensions: number): number {
  return MAX_PRODUCT / (LARGEST_CODE * Math.sqrt(dimensions));
}

/** Returns the length of the longest vector of int16 whose product with one of this length is an int32. */
export function longestWith(length: number): number {
  return MAX_PRODUCT / length;
}

/** Rounds numbers to multiples of a step, and writes these as int16. Returns the step. @param longest maximum length of what is written */
export function writeInt16(values: Float32Array, to: Int16Array, longest: number): number {
  let largest = SMALLEST;
  let squares = 0;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number;
    largest = Math.max(largest, Math.abs(value));
    squares += value ** 2;
  }
  const step = Math.max(largest / LARGEST, Math.sqrt(squares) / longest);
  for (let at = 0; at < values.length; at += 1) to[at] = Math.round((values[at] as number) / step);
  return step;
}
