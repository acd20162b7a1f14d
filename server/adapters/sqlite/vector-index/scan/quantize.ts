const LARGEST_CODE = 127;
/** Between a step and the next larger one: the codes of a vector never use less of their range than one part in this. */
const STEP_RATIO = Math.SQRT2;
/** The ranges are numbered down from the 1 that no component exceeds to that of a vector of nothing, or about. */
const MOST_NARROWED = 32;

/** A vector as int8, and how far apart two neighbouring codes are in it. */
export interface Quantized {
  codes: Int8Array;
  step: number;
}

/** A vector as codes that were made of the vector itself. */
export interface QuantizedVector extends Quantized {
  /** The distance between the vector and its codes. */
  error: number;
}

/**
 * Scales a vector of unit length by its own largest component, so that nothing
 * is clamped. There are few steps: so most vectors of an embedder have the
 * same, and are compared by the dot product of their codes alone.
 */
export function quantized(vector: Float32Array): QuantizedVector {
  let largest = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const size = Math.abs(vector[index] as number);
    if (size > largest) largest = size;
  }
  const step = stepFor(largest);
  const codes = new Int8Array(vector.length);
  let squares = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const component = vector[index] as number;
    const code = Math.round(component / step);
    codes[index] = code;
    squares += (component - code * step) ** 2;
  }
  return { codes, step, error: Math.sqrt(squares) };
}

/** The finest step that a component fits into. */
function stepFor(largest: number): number {
  const narrowed = Math.floor(-Math.log(largest) / Math.log(STEP_RATIO));
  return STEP_RATIO ** -Math.min(narrowed, MOST_NARROWED) / LARGEST_CODE;
}

/** The codes of a vector at a step that is at least its own. */
export function coarsened({ codes, step: own }: Quantized, step: number): Int8Array {
  if (own === step) return codes;
  const coarse = new Int8Array(codes.length);
  const scale = own / step;
  for (let index = 0; index < codes.length; index += 1) coarse[index] = Math.round((codes[index] as number) * scale);
  return coarse;
}

const DEVIATIONS = 6;
/** The variance of what rounding to a whole code is off by, once and after roundings at ever finer steps. */
const [ROUNDED, ROUNDED_AGAIN] = [1 / 12, 1 / 6];

/**
 * How far the dot product of a query and a row, both quantized, is likely to be
 * from that of the unit vectors themselves. Rounding is off by at most half a
 * step, evenly and independently in each component, so the product is off by a
 * normal variable from either side; six of its deviations are left to chance
 * once in a thousand million. Texts that resemble the query have roundings that
 * depend on its own, so nothing may be promised by this: see `productBound`.
 *
 * @param rowStep of the block that the row is in
 */
export function likelyMargin(queryStep: number, rowStep: number): number {
  return DEVIATIONS * Math.sqrt(queryStep ** 2 * ROUNDED + rowStep ** 2 * ROUNDED_AGAIN);
}

/**
 * What the roundings of a query and of a row of the same vector add up to when
 * they agree. They do in vectors with many components of one size, which
 * `likelyMargin` leaves out; no row agrees with a query more than its own.
 *
 * @param rowStep of the block that the row is in
 */
export function agreedError(vector: Float32Array, query: Quantized, rowStep: number): number {
  const step = Math.max(query.step, rowStep);
  return errorAlong(vector, query) + errorAlong(vector, { codes: coarsened(query, step), step });
}

/** What the product of a vector with its own codes is off by. */
function errorAlong(vector: Float32Array, { codes, step }: Quantized): number {
  let product = 0;
  for (let index = 0; index < codes.length; index += 1) product += (vector[index] as number) * (codes[index] as number);
  return Math.abs(1 - product * step);
}

/** Products are single floats, and vectors have unit length to the precision of such. */
const FLOAT_SLACK = 1e-5;

/**
 * How far the dot product of a query and a row, both quantized, can be from
 * that of the unit vectors themselves. With q and r the vectors, and e and f
 * what their codes are off by, qr − (q−e)(r−f) = er + (q−e)f: at most
 * |e| + (1+|e|)·|f|, whatever the errors have to do with each other.
 */
export function productBound(queryError: number, rowError: number): number {
  return queryError + (1 + queryError) * rowError + FLOAT_SLACK;
}
