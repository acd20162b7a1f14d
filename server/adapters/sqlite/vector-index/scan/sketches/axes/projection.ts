import type { SketchKernel } from '../kernel.js';
import type { SketchLayout } from '../layout.js';
import { longestFor, longestWith, writeInt16 } from './int16.js';
import { placeOf } from './interleaved.js';
import type { PrincipalAxes } from './principal-axes.js';

const FLOAT_BYTES = 4;
const INT16_BYTES = 2;

/**
 * Splits vectors into their coordinates on principal axes, and the rest. Vectors and axes are int16, since the kernel
 * multiplies these in less than half of the time of floats.
 */
export class Projection {
  readonly #kernel: SketchKernel;
  readonly #layout: SketchLayout;
  /** Address of the axes, and the step of each. */
  readonly #axes: number;
  readonly #axisSteps: Float32Array;
  /** Address of the vectors that one step on each axis stands for, and their step. */
  readonly #units: number;
  readonly #unitStep: number;
  /** The length of the longest head whose products with the units are int32. */
  readonly #longestHead: number;
  /** Address of the vector that a head of 0 stands for. */
  readonly #centre: number;
  readonly #scales: number;
  /** Addresses of the vectors, their coordinates, their heads, the products of these and the units, and the rests. */
  readonly #codes: number;
  readonly #coordinates: number;
  readonly #heads: number;
  readonly #products: number;
  readonly #rests: number;

  /**
   * @param steps of the heads on each axis
   * @param together number of vectors that are split together, even
   */
  constructor(
    kernel: SketchKernel,
    layout: SketchLayout,
    { axes, centres }: PrincipalAxes,
    steps: Float32Array,
    together: number,
  ) {
    const { dimensions, head } = layout;
    this.#kernel = kernel;
    this.#layout = layout;
    const int16s = new Int16Array(axes.length);
    this.#axisSteps = Float32Array.from({ length: head }, (_, n) => {
      const [from, to] = [n * dimensions, (n + 1) * dimensions];
      return writeInt16(axes.subarray(from, to), int16s.subarray(from, to), longestFor(dimensions));
    });
    this.#axes = kernel.allocate(INT16_BYTES * axes.length);
    this.#units = kernel.allocate(INT16_BYTES * axes.length);
    storeAxes(int16s, kernel.int16s(this.#axes, axes.length), dimensions);
    const units = stretched(axes, steps);
    this.#unitStep = writeInt16(units, int16s, Number.POSITIVE_INFINITY);
    this.#longestHead = longestWith(longestColumn(int16s, dimensions));
    storeColumns(int16s, kernel.int16s(this.#units, axes.length), head);
    this.#centre = kernel.allocate(FLOAT_BYTES * dimensions);
    kernel.floats(this.#centre, dimensions).set(combined(axes, centres));
    this.#scales = kernel.allocate(3 * FLOAT_BYTES);
    this.#codes = kernel.allocate(INT16_BYTES * together * dimensions);
    this.#coordinates = kernel.allocate(FLOAT_BYTES * together * head);
    this.#heads = kernel.allocate(INT16_BYTES * together * head);
    this.#products = kernel.allocate(FLOAT_BYTES * together * dimensions);
    this.#rests = kernel.allocate(FLOAT_BYTES * together * dimensions);
  }

  /** Returns the room for the codes of vectors. */
  codes(vectors: number): Int16Array {
    return this.#kernel.int16s(this.#codes, vectors * this.#layout.dimensions);
  }

  /** Computes the coordinates of the first vectors. @param step of their codes */
  project(vectors: number, step: number): void {
    const { dimensions, head } = this.#layout;
    const pairs = Math.ceil(vectors / 2);
    this.#kernel.functions.multiply(head, this.#axes, dimensions, pairs, this.#codes, this.#coordinates);
    const coordinates = this.#kernel.floats(this.#coordinates, vectors * head);
    for (let at = 0; at < coordinates.length; at += 1) {
      coordinates[at] = (coordinates[at] as number) * step * (this.#axisSteps[at % head] as number);
    }
  }

  /** Returns the coordinates of a vector. */
  coordinates(n: number): Float32Array {
    const { head } = this.#layout;
    return this.#kernel.floats(this.#coordinates + FLOAT_BYTES * n * head, head);
  }

  /** Returns the room for the head of a vector: the number of steps on each axis, from the centre. */
  head(n: number): Int16Array {
    const { head } = this.#layout;
    return this.#kernel.int16s(this.#heads + INT16_BYTES * n * head, head);
  }

  /** Computes the rests of the first vectors: what their heads do not stand for. @param step of their codes */
  subtractHeads(vectors: number, step: number): void {
    this.#subtract(vectors, step, 1, 1);
  }

  /** Computes the rest of the first vector: what is left of it without its coordinates. Its codes have a step of 1. */
  subtractCoordinates(steps: Float32Array): void {
    const numbers = this.coordinates(0).map((coordinate, at) => coordinate / (steps[at] as number));
    this.#subtract(1, 1, writeInt16(numbers, this.head(0), this.#longestHead), 0);
  }

  /** Returns the address of the rest of a vector. */
  rest(n: number): number {
    return this.#rests + FLOAT_BYTES * n * this.#layout.dimensions;
  }

  #subtract(vectors: number, step: number, headStep: number, centres: number): void {
    const { dimensions, head } = this.#layout;
    const { multiply, rest } = this.#kernel.functions;
    multiply(dimensions, this.#units, head, Math.ceil(vectors / 2), this.#heads, this.#products);
    this.#kernel.floats(this.#scales, 3).set([step, headStep * this.#unitStep, centres]);
    for (let n = 0; n < vectors; n += 1) {
      const [codes, products] = [INT16_BYTES, FLOAT_BYTES].map((bytes) => bytes * n * dimensions) as [number, number];
      rest(this.#codes + codes, this.#products + products, this.#centre, this.#scales, dimensions, this.rest(n));
    }
  }
}

// No search runs until all of these functions are done, and with iterators they would take several times as long.

/** Writes axes as the matrix that multiplies vectors. */
function storeAxes(axes: Int16Array, to: Int16Array, dimensions: number): void {
  for (let axis = 0, from = 0; from < axes.length; axis += 1, from += dimensions) {
    for (let at = 0; at < dimensions; at += 1) to[placeOf(axis, at, dimensions)] = axes[from + at] as number;
  }
}

/** Writes axes as the matrix that multiplies heads. @param head number of axes */
function storeColumns(axes: Int16Array, to: Int16Array, head: number): void {
  const dimensions = axes.length / head;
  for (let axis = 0, from = 0; axis < head; axis += 1, from += dimensions) {
    for (let at = 0; at < dimensions; at += 1) to[placeOf(at, axis, head)] = axes[from + at] as number;
  }
}

/** Returns axes of other lengths. */
function stretched(axes: Float32Array, lengths: Float32Array): Float32Array {
  const dimensions = axes.length / lengths.length;
  const result = axes.slice();
  for (let axis = 0, from = 0; axis < lengths.length; axis += 1, from += dimensions) {
    for (let at = from; at < from + dimensions; at += 1) {
      result[at] = (result[at] as number) * (lengths[axis] as number);
    }
  }
  return result;
}

/** Returns the length of the longest column of a matrix. */
function longestColumn(matrix: Int16Array, columns: number): number {
  let longest = 1;
  for (let column = 0; column < columns; column += 1) {
    let squares = 0;
    for (let at = column; at < matrix.length; at += columns) squares += (matrix[at] as number) ** 2;
    longest = Math.max(longest, squares);
  }
  return Math.sqrt(longest);
}

/** Returns the sum of axes, each multiplied by a number. */
function combined(axes: Float32Array, numbers: Float32Array): Float32Array {
  const dimensions = axes.length / numbers.length;
  const parts = stretched(axes, numbers);
  const sum = parts.slice(0, dimensions);
  for (let at = dimensions; at < parts.length; at += 1) {
    sum[at % dimensions] = (sum[at % dimensions] as number) + (parts[at] as number);
  }
  return sum;
}
