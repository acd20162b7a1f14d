import { compile, compileShared, Kernel, newSharedMemory } from '../../../../wasm/kernel.js';
import { scanFunction } from './scan-code.js';
import { mixFunction, multiplyFunction, restFunction, signsFunction, sizesFunction } from './vector-code.js';

export interface MultiplyFunction {
  /**
   * Multiplies a matrix with pairs of vectors. Both are int16, and each product must be an int32. All vectors follow each other.
   *
   * @param outputs number of rows of the matrix, a multiple of 16
   * @param matrix in the order of `placeOf`
   * @param inputs length of a vector, a multiple of 4
   * @param products receives floats: those of the first vector, then those of the second, and so on
   */
  multiply(outputs: number, matrix: number, inputs: number, pairs: number, vectors: number, products: number): void;
}

/** Functions on the memory of the kernel. Addresses are in bytes. Vectors are floats of 32 bits, if nothing else is said. */
interface KernelFunctions extends MultiplyFunction {
  /**
   * Computes upper bounds of the products of a query with rows: a * (product of the heads) + d * slack +
   * factor * (c + b * (sum of the table entries that the bits of the rest select)).
   *
   * @param rows a multiple of 16
   * @param query address of a, b, c and d
   * @param headQuery int16, as many as a head has
   * @param tables a table of 16 bytes, each at most 63, for four dimensions of the rest
   * @param heads int8 of each row
   * @param headLength a multiple of 16
   * @param bits of each 16 rows: those of the first 8 dimensions of each row, then those of the next 8
   * @param planes number of dimensions of the rest divided by 8, even
   * @param factors of each row
   * @param slacks of each row
   * @param uppers receives the bounds
   * @param largest receives the largest bound of each 16 rows
   */
  scan(
    rows: number,
    query: number,
    headQuery: number,
    tables: number,
    heads: number,
    headLength: number,
    bits: number,
    planes: number,
    factors: number,
    slacks: number,
    uppers: number,
    largest: number,
  ): void;
  /**
   * Computes a * codes - b * products - c * means.
   *
   * @param codes int16
   * @param scales address of a, b and c
   * @param length a multiple of 8
   * @param rest receives the result
   */
  rest(codes: number, products: number, means: number, scales: number, length: number, rest: number): void;
  /** Writes the sum of the sizes of the components of a vector, and the sum of their squares. @param length a multiple of 4 */
  sizes(vector: number, length: number, result: number): void;
  /**
   * Multiplies a vector with signs and then with the Hadamard matrix, in place. Its length grows by the root of `length`.
   *
   * @param length a power of two, at least 8
   */
  mix(vector: number, signs: number, length: number): void;
  /**
   * Writes which components of a vector are negative: of each 8 one byte, every 16 bytes.
   *
   * @param length a multiple of 8
   */
  signs(vector: number, length: number, bits: number): void;
}

/** Memory of sketches, and functions on it. Threads can share it. */
export class SketchKernel extends Kernel<KernelFunctions> {}

/** Memory for computing axes, and a function on it. It is not shared, because V8 frees shared memory late. */
export class AxesKernel extends Kernel<MultiplyFunction> {}

let compiled: { module: object | undefined } | undefined;

/**
 * Returns a kernel with memory of its own, or undefined if the platform cannot run the functions. The first call in a thread
 * compiles them, in some milliseconds.
 */
export function newSketchKernel(): SketchKernel | undefined {
  compiled ??= {
    module: compileShared([
      scanFunction(),
      multiplyFunction(),
      restFunction(),
      sizesFunction(),
      mixFunction(),
      signsFunction(),
    ]),
  };
  return compiled.module && new SketchKernel(compiled.module, newSharedMemory());
}

/** Returns a kernel with memory of its own, or undefined if the platform cannot run the function. */
export function newAxesKernel(): AxesKernel | undefined {
  const module = compile([multiplyFunction()]);
  return module && new AxesKernel(module);
}
