import { newKernelCoder } from './kernel-coder.js';
import { PlainCoder, type VectorCoder } from './vector-coder.js';

const MAX_CODE = 127;
/** Ratio of a step to the next finer one. So the codes of a vector use at least 1 / `STEP_RATIO` of their range. */
const STEP_RATIO = Math.SQRT2;
/** Maximum number of steps below that for components of size 1. The finest step is for vectors that are almost zero. */
const MAX_NARROWED = 32;

/** A vector as int8 codes, and the difference between two adjacent codes. */
export interface Quantized {
  codes: Int8Array;
  step: number;
}

/** Codes that were computed from the vector itself. */
export interface QuantizedVector extends Quantized {
  /** The distance between the vector and its codes. */
  error: number;
}

/**
 * Scales a vector of unit length by its largest component, so that nothing is
 * clamped. Since there are few steps, most vectors of an embedder have the
 * same step, and comparing them needs only the dot product of their codes.
 *
 * @param minStep a step of other vectors, whose codes are to be compared with these
 */
export function quantized(vector: Float32Array, minStep = 0): QuantizedVector {
  coder ??= newKernelCoder() ?? new PlainCoder();
  const step = Math.max(minStep, stepFor(coder.load(vector)));
  const { codes, squares } = coder.codes(step);
  return { codes, step, error: Math.sqrt(squares) };
}

let coder: VectorCoder | undefined;

/** Returns the finest step at which a component fits into the codes. */
function stepFor(largest: number): number {
  const narrowed = Math.floor(-Math.log(largest) / Math.log(STEP_RATIO));
  return STEP_RATIO ** -Math.min(narrowed, MAX_NARROWED) / MAX_CODE;
}

/** The code at a coarser step, of each code as a byte, by the ratio of the steps. There are few steps. */
const coarserCodes = new Map<number, Int8Array>();

/** Converts codes to a step that is at least their own. */
export function coarsened({ codes, step: own }: Quantized, step: number): Int8Array {
  if (own === step) return codes;
  const coarser = coarserBy(own / step);
  const coarse = new Int8Array(codes.length);
  const bytes = new Uint8Array(codes.buffer, codes.byteOffset, codes.length);
  for (let index = 0; index < bytes.length; index += 1) coarse[index] = coarser[bytes[index] as number] as number;
  return coarse;
}

function coarserBy(scale: number): Int8Array {
  const known = coarserCodes.get(scale);
  if (known) return known;
  const codes = new Int8Array(256);
  for (let code = -128; code < 128; code += 1) codes[code & 255] = roundedEvenly(code * scale);
  coarserCodes.set(scale, codes);
  return codes;
}

/** Distance from a half below which a code counts as one. Steps that differ by a factor of two are not exact. */
const HALF_WITHIN = 1e-6;

/**
 * Rounds a half to the even neighbour. A step of twice the size makes each odd code a half: rounding all of these up or down
 * would make every vector longer or shorter.
 */
function roundedEvenly(value: number): number {
  const below = Math.floor(value);
  const above = value - below - 0.5;
  if (Math.abs(above) > HALF_WITHIN) return above < 0 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/**
 * Numbers of standard deviations for `likelyMargin`. Chance exceeds the first once in 15,000 products, and the second once in
 * 500,000,000.
 */
export const [USUAL_DEVIATIONS, EXACT_DEVIATIONS] = [4, 6] as const;
/** Variances of the error in codes: after one rounding, and after repeated roundings to coarser steps. */
const [ROUNDED, ROUNDED_AGAIN] = [1 / 12, 1 / 6];

/**
 * Returns the likely error of the dot product of a quantized query and row,
 * compared with that of the unit vectors. The error of a rounding is at most
 * half a step, uniform and independent per component. So each side adds a
 * normal error. Roundings of contents like the query depend on those of the
 * query, so this is no guarantee: see `productBound`.
 *
 * @param rowStep step of the row's block
 * @param deviations number of standard deviations
 */
export function likelyMargin(queryStep: number, rowStep: number, deviations: number): number {
  return deviations * Math.sqrt(queryStep ** 2 * ROUNDED + rowStep ** 2 * ROUNDED_AGAIN);
}

/**
 * Returns the sum of the rounding errors of a query and a row of the same
 * vector if they agree. They do for vectors with many components of one size,
 * which `likelyMargin` does not cover. No row agrees more with a query than
 * the row of the same vector.
 *
 * @param rowStep step of the row's block
 */
export function agreedError(vector: Float32Array, query: Quantized, rowStep: number): number {
  const step = Math.max(query.step, rowStep);
  return errorAlong(vector, query) + errorAlong(vector, { codes: coarsened(query, step), step });
}

/** Returns the error of the product of a vector with its own codes. */
function errorAlong(vector: Float32Array, { codes, step }: Quantized): number {
  let product = 0;
  for (let index = 0; index < codes.length; index += 1) product += (vector[index] as number) * (codes[index] as number);
  return Math.abs(1 - product * step);
}

/** Allows for single precision, of products and of the unit length of vectors. */
const FLOAT_SLACK = 1e-5;

/**
 * Returns the maximum error of the dot product of a quantized query and row,
 * compared with that of the unit vectors. With vectors q and r and the errors
 * e and f of their codes, qr − (q−e)(r−f) = er + (q−e)f, which is at most
 * |e| + (1+|e|)·|f| for any dependence between the errors.
 */
export function productBound(queryError: number, rowError: number): number {
  return queryError + (1 + queryError) * rowError + FLOAT_SLACK;
}
