import type { AxesKernel } from './kernel.js';

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

/** Rows of floats. */
export interface Sample {
  /** A multiple of 8. */
  rows: number;
  dimensions: number;
  copyRow: (to: Float32Array) => void;
}

/**
 * Computes the axes of a sample by subspace iteration. Yields after each part of about a millisecond.
 *
 * @param kernel for this alone: it allocates eight bytes for each component of the sample
 * @param count even
 */
export function* principalAxes(kernel: AxesKernel, sample: Sample, count: number): Generator<void, PrincipalAxes> {
  const { rows, dimensions } = sample;
  const products = new SampleProducts(kernel, sample);
  let rest = yield* products.fill(sample);
  let axes = randomAxes(count + SPARE_AXES, dimensions);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    for (let at = 0; at < axes.length; at += 2) {
      yield* products.project(axes.slice(at, at + 2));
      axes.splice(at, 2, ...(yield* products.combine()));
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
  readonly #vectors: number;
  readonly #coordinates: number;
  readonly #part: number;

  constructor(kernel: AxesKernel, { rows, dimensions }: Sample) {
    this.#kernel = kernel;
    this.#dimensions = dimensions;
    this.#rows = rows;
    this.#sample = kernel.allocate(4 * rows * dimensions);
    this.#transposed = kernel.allocate(4 * rows * dimensions);
    this.#vectors = kernel.allocate(4 * 2 * dimensions);
    this.#coordinates = kernel.allocate(4 * 2 * rows);
    this.#part = kernel.allocate(4 * 2 * Math.max(rows, dimensions));
  }

  /** Copies the sample. Returns the sum of the squares of all components. */
  *fill({ rows, dimensions, copyRow }: Sample): Generator<void, number> {
    const transposed = this.#kernel.floats(this.#transposed, rows * dimensions);
    let squares = 0;
    for (let n = 0; n < rows; n += 1) {
      const row = this.#kernel.floats(this.#sample + 4 * n * dimensions, dimensions);
      copyRow(row);
      for (let at = 0; at < dimensions; at += 1) transposed[at * rows + n] = row[at] as number;
      squares += product(row, row);
      if (n % COPIED_ROWS === 0) yield;
    }
    return squares;
  }

  /** Returns the coordinates of the rows on two axes. */
  *project(axes: readonly Float32Array[]): Generator<void, Float32Array[]> {
    const vectors = this.#kernel.floats(this.#vectors, 2 * this.#dimensions);
    for (const [n, axis] of axes.entries()) vectors.set(axis, n * this.#dimensions);
    yield* this.#multiply(this.#rows, this.#sample, this.#dimensions, this.#vectors, this.#coordinates);
    return this.#two(this.#coordinates, this.#rows);
  }

  /** Returns the sums of the rows, each multiplied by its coordinates of the last projection. */
  *combine(): Generator<void, Float32Array[]> {
    yield* this.#multiply(this.#dimensions, this.#transposed, this.#rows, this.#coordinates, this.#vectors);
    return this.#two(this.#vectors, this.#dimensions);
  }

  /** Multiplies a matrix with two vectors, in parts. */
  *#multiply(rows: number, matrix: number, length: number, vectors: number, products: number): Generator<void> {
    const rowsOfPart = Math.max(4, 4 * Math.floor(PART_BYTES / length / 16));
    for (let row = 0; row < rows; row += rowsOfPart) {
      const count = Math.min(rowsOfPart, rows - row);
      this.#kernel.functions.multiply(count, matrix + 4 * row * length, length, 1, vectors, this.#part);
      for (const [n, part] of this.#two(this.#part, count).entries()) {
        this.#kernel.floats(products + 4 * (n * rows + row), count).set(part);
      }
      yield;
    }
  }

  #two(address: number, length: number): Float32Array[] {
    return [0, 1].map((n) => this.#kernel.floats(address + 4 * n * length, length).slice());
  }
}

/** Returns the transposed form of a matrix. */
export function transposed(matrix: Float32Array, rows: number, columns: number): Float32Array<ArrayBuffer> {
  const result = new Float32Array(matrix.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      result[column * rows + row] = matrix[row * columns + column] as number;
    }
  }
  return result;
}

function randomAxes(count: number, dimensions: number): Float32Array[] {
  return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, () => Math.random() - 0.5));
}

/** Makes axes almost orthogonal and of unit length, in place. Those that depend on others get a random direction. */
function* makeOrthonormal(axes: readonly Float32Array[]): Generator<void> {
  for (const [n, axis] of axes.entries()) {
    scale(axis, 1 / length(axis));
    removeFrom(axis, axes.slice(0, n));
    if (length(axis) < DEPENDENT_BELOW) axis.set(axis.map(() => Math.random() - 0.5));
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
