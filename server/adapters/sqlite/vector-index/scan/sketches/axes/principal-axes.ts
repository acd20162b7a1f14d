import type { AxesKernel } from '../kernel.js';
import { longestFor, writeInt16 } from './int16.js';
import { OUTPUTS_TOGETHER, placeOf } from './interleaved.js';

/** Orthogonal directions in which rows differ most, and the range of coordinates along each. */
export interface PrincipalAxes {
  /** Axes of unit length, one after the other. */
  axes: Float32Array<ArrayBuffer>;
  /** The middle of the coordinates on each axis. */
  centres: Float32Array<ArrayBuffer>;
  /** Half of their range on each axis. */
  ranges: Float32Array<ArrayBuffer>;
  /** The usual length of what the axes leave of a row, as the root of the mean square. */
  restLength: number;
}

/** Axes that are computed besides those returned, so that these are more precise. */
const SPARE_AXES = 16;
const ITERATIONS = 3;
/** Bytes of the sample that are multiplied in one part. */
const PART_BYTES = 2_097_152;
/** Rows of the sample that are copied in one part. */
const COPIED_ROWS = 32;

/** Rows of codes. */
export interface Sample {
  /** A multiple of 16. */
  rows: number;
  dimensions: number;
  /** Writes the codes of a row. Returns their step. */
  copyRow: (to: Int16Array) => number;
}

/**
 * Computes the axes of a sample by subspace iteration. Yields after each part of about a millisecond.
 *
 * @param kernel for this alone: it allocates four bytes for each component of the sample
 * @param count even
 */
export function* principalAxes(kernel: AxesKernel, sample: Sample, count: number): Generator<void, PrincipalAxes> {
  const { rows, dimensions } = sample;
  const products = new SampleProducts(kernel, sample);
  let rest = yield* products.fill(sample);
  let axes = randomAxes(count + SPARE_AXES, dimensions);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    for (let at = 0; at < axes.length; at += 2) {
      const coordinates = yield* products.project(axes.slice(at, at + 2));
      axes.splice(at, 2, ...(yield* products.combine(coordinates)));
    }
    yield* makeOrthonormal(axes);
  }
  // A second time, since the first leaves rounding errors.
  yield* makeOrthonormal(axes);
  axes = axes.slice(0, count);
  const ranges: [number, number][] = [];
  for (let at = 0; at < count; at += 2) {
    for (const coordinates of yield* products.project(axes.slice(at, at + 2))) {
      ranges.push(rangeOf(coordinates));
      rest -= product(coordinates, coordinates);
    }
    yield;
  }
  const joined = new Float32Array(count * dimensions);
  for (const [n, axis] of axes.entries()) joined.set(axis, n * dimensions);
  return {
    axes: joined,
    centres: Float32Array.from(ranges, ([low, high]) => (low + high) / 2),
    ranges: Float32Array.from(ranges, ([low, high]) => (high - low) / 2),
    restLength: Math.sqrt(Math.max(0, rest / rows)),
  };
}

/** Multiplies the matrix of a sample. */
class SampleProducts {
  readonly #kernel: AxesKernel;
  readonly #rows: number;
  readonly #dimensions: number;
  readonly #sample: number;
  readonly #transposed: number;
  /** The step of each row. */
  readonly #steps: Float32Array;
  readonly #vectors: number;
  readonly #products: number;

  constructor(kernel: AxesKernel, { rows, dimensions }: Sample) {
    this.#kernel = kernel;
    this.#dimensions = dimensions;
    this.#rows = rows;
    this.#steps = new Float32Array(rows);
    this.#sample = kernel.allocate(2 * rows * dimensions);
    this.#transposed = kernel.allocate(2 * rows * dimensions);
    this.#vectors = kernel.allocate(2 * 2 * Math.max(rows, dimensions));
    this.#products = kernel.allocate(4 * 2 * Math.max(rows, dimensions));
  }

  /** Copies the sample. Returns the sum of the squares of all components. */
  *fill({ rows, dimensions, copyRow }: Sample): Generator<void, number> {
    const [sample, transposed] = [this.#sample, this.#transposed].map((address) => {
      return this.#kernel.int16s(address, rows * dimensions);
    }) as [Int16Array, Int16Array];
    const codes = new Int16Array(dimensions);
    let squares = 0;
    for (let row = 0; row < rows; row += 1) {
      const step = copyRow(codes);
      for (let at = 0; at < dimensions; at += 1) {
        const code = codes[at] as number;
        sample[placeOf(row, at, dimensions)] = code;
        transposed[placeOf(at, row, rows)] = code;
        squares += (code * step) ** 2;
      }
      this.#steps[row] = step;
      if (row % COPIED_ROWS === 0) yield;
    }
    return squares;
  }

  /** Returns the coordinates of the rows on two axes. */
  *project(axes: readonly Float32Array[]): Generator<void, Float32Array[]> {
    const products = yield* this.#multiply(this.#rows, this.#sample, axes);
    return products.map((each) => each.map((product, n) => product * (this.#steps[n] as number)));
  }

  /** Returns two sums of the rows, each row multiplied by its coordinates. */
  *combine(coordinates: readonly Float32Array[]): Generator<void, Float32Array[]> {
    const weights = coordinates.map((each) => each.map((coordinate, n) => coordinate * (this.#steps[n] as number)));
    return yield* this.#multiply(this.#dimensions, this.#transposed, weights);
  }

  /** Returns the products of a matrix with two vectors, computed in parts. */
  *#multiply(outputs: number, matrix: number, vectors: readonly Float32Array[]): Generator<void, Float32Array[]> {
    const inputs = vectors[0]?.length ?? 0;
    const steps = vectors.map((vector, n) => {
      return writeInt16(vector, this.#kernel.int16s(this.#vectors + 2 * n * inputs, inputs), longestFor(inputs));
    });
    const products = vectors.map(() => new Float32Array(outputs));
    const together = OUTPUTS_TOGETHER * Math.ceil(PART_BYTES / inputs / 2 / OUTPUTS_TOGETHER);
    for (let from = 0; from < outputs; from += together) {
      const count = Math.min(together, outputs - from);
      this.#kernel.functions.multiply(count, matrix + 2 * from * inputs, inputs, 1, this.#vectors, this.#products);
      for (const [n, product] of products.entries()) {
        product.set(this.#kernel.floats(this.#products + 4 * n * count, count), from);
      }
      yield;
    }
    return products.map((product, n) => product.map((value) => value * (steps[n] as number)));
  }
}

function randomAxes(count: number, dimensions: number): Float32Array[] {
  return Array.from({ length: count }, () => randomize(new Float32Array(dimensions)));
}

function randomize(axis: Float32Array): Float32Array {
  // `Float32Array.from` takes ten times as long.
  for (let at = 0; at < axis.length; at += 1) axis[at] = Math.random() - 0.5;
  return axis;
}

/** Makes axes almost orthogonal and of unit length, in place. Those that depend on others get a random direction. */
function* makeOrthonormal(axes: readonly Float32Array[]): Generator<void> {
  for (const [n, axis] of axes.entries()) {
    scale(axis, 1 / length(axis));
    removeFrom(axis, axes.slice(0, n));
    if (length(axis) < DEPENDENT_BELOW) randomize(axis);
    scale(axis, 1 / length(axis));
    yield;
  }
}

const DEPENDENT_BELOW = 1e-4;

function removeFrom(vector: Float32Array, axes: readonly Float32Array[]): void {
  for (const axis of axes) {
    const coordinate = product(vector, axis);
    for (let at = 0; at < vector.length; at += 1) {
      vector[at] = (vector[at] as number) - coordinate * (axis[at] as number);
    }
  }
}

function scale(vector: Float32Array, factor: number): void {
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] as number) * factor;
}

/** Returns a length that is never 0. */
function length(vector: Float32Array): number {
  return Math.sqrt(product(vector, vector)) || Number.MIN_VALUE;
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

function rangeOf(values: Float32Array): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
