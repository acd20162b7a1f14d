const LARGEST_CODE = 127;

/**
 * How far a cosine of two quantized vectors can be from that of the vectors:
 * measured under 0.01 from 8 to 4,096 dimensions, spiky vectors included.
 */
export const QUANTIZATION_MARGIN = 0.02;

/**
 * A vector as int8. Each is scaled by its own largest component, so that the
 * whole range is used and nothing is clamped; the cosine does not see the
 * scale.
 */
export function quantized(vector: Float32Array): Int8Array {
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
  return codes;
}
