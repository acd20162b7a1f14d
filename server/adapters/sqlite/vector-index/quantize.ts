const LARGEST_CODE = 127;

/** A vector as int8, and how far apart two neighbouring codes are in it. */
export interface Quantized {
  codes: Int8Array;
  step: number;
}

/**
 * Scales a vector by its own largest component, so that the whole range is
 * used and nothing is clamped; the cosine does not see the scale.
 */
export function quantized(vector: Float32Array): Quantized {
  let largest = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const size = Math.abs(vector[index] as number);
    if (size > largest) largest = size;
  }
  const scale = largest > 0 ? LARGEST_CODE / largest : 0;
  const codes = new Int8Array(vector.length);
  for (let index = 0; index < vector.length; index += 1) {
    codes[index] = Math.round((vector[index] as number) * scale);
  }
  return { codes, step: largest / LARGEST_CODE };
}

const DEVIATIONS = 6;

/**
 * How far the cosine of two quantized unit vectors can be from their own.
 * Rounding is off by at most half a step, evenly and independently in each
 * component, so the cosine is off by a normal variable of a step's deviation,
 * √(1/12) of it, from either side; six of those are left to chance once in a
 * thousand million.
 */
export function quantizationMargin(step: number, otherStep: number): number {
  return DEVIATIONS * Math.sqrt((step ** 2 + otherStep ** 2) / 12);
}
