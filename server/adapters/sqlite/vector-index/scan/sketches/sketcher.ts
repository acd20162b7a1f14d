import { BLOCK_ROWS, type Block } from '../block.js';
import type { SketchKernel } from './kernel.js';
import { ROWS_TOGETHER, type SketchLayout, sketchBytes } from './layout.js';
import { type PrincipalAxes, transposed } from './principal-axes.js';
import { Rotation } from './rotation.js';
import { TABLE_DIMENSIONS, tablesBytes, writeTables } from './tables.js';

/** Addresses of the sketches of a block. */
export interface BlockSketch {
  heads: number;
  bits: number;
  factors: number;
  slacks: number;
}

/** A query in the form that the kernel compares with sketches. */
export interface SketchQuery {
  /** Addresses, see `SketchKernel`. */
  numbers: number;
  head: number;
  tables: number;
}

/** The part of the bounds of a query that the kernel does not add. */
export type Offset = number;

/** The slack of a row without a valid sketch. Its bounds are above all others, and finite. */
export const UNKNOWN_SLACK = 1e30;

/** Rows that are sketched together, since reading the axes takes long. An even number. */
export const SKETCHED_TOGETHER = 16;

const LARGEST_HEAD = 127;
const LARGEST_INT16 = 32_767;
/** The sample lacks some of the rows with the largest coordinates. */
const RANGE_MARGIN = 1.25;
/** Steps of heads are not finer than this part of a unit vector. */
const MIN_STEP = 1e-6;

/**
 * A bound exceeds the estimate by this number of standard deviations. Chance exceeds it once in 340 products, and the
 * search then misses a row if its product is among the least that it needs. These are below those of its results. So of
 * equally similar results, three in a thousand are missed at most, and fewer of others.
 */
const DEVIATIONS = 2.75;
/** Deviation of the estimated product of two rests, compared with the product of their lengths and the root of 1 / dimensions. */
const USUAL_SLACK = 0.75;
/** The least slack of a row, compared with its factor. */
const MIN_SLACK_OF_FACTOR = 1 / 2;
/** Variance of the error of a rounding, in steps. */
const ROUNDED = 1 / 12;
/** Allows for single precision. */
const FLOAT_SLACK = 1e-5;

/**
 * Makes sketches of rows and queries.
 *
 * The product of a row and a query is the sum of two: that of their
 * coordinates on the principal axes, the heads, and that of their rests. Rests
 * are rotated at random, and only the signs of the components are kept. The
 * sum of the query's components with these signs, times a factor of the row,
 * is an estimate of the product. Its error has a known deviation, as in RaBitQ
 * (Gao and Long, 2024).
 */
export class Sketcher {
  readonly layout: SketchLayout;
  readonly #kernel: SketchKernel;
  readonly #rotation: Rotation;
  readonly #axes: number;
  readonly #transposedAxes: number;
  readonly #centres: Float32Array;
  readonly #steps: Float32Array;
  readonly #deviations: number;
  /** The least slack of a row. */
  readonly #minSlack: number;
  /** Addresses of vectors, their coordinates, and what these stand for. */
  readonly #vectors: number;
  readonly #coordinates: number;
  readonly #approximations: number;

  constructor(
    kernel: SketchKernel,
    layout: SketchLayout,
    { axes, centres, ranges, restLength }: PrincipalAxes,
    deviations = DEVIATIONS,
  ) {
    const { dimensions, head } = layout;
    this.layout = layout;
    this.#kernel = kernel;
    this.#deviations = deviations;
    this.#rotation = new Rotation(kernel, dimensions);
    this.#axes = this.#stored(axes);
    this.#transposedAxes = this.#stored(transposed(axes, head, dimensions));
    this.#centres = centres;
    this.#steps = ranges.map((range) => Math.max(MIN_STEP, (RANGE_MARGIN * range) / LARGEST_HEAD));
    this.#minSlack = Math.max(MIN_STEP, (restLength * USUAL_SLACK) / Math.sqrt(dimensions));
    this.#vectors = kernel.allocate(4 * SKETCHED_TOGETHER * dimensions);
    this.#coordinates = kernel.allocate(4 * SKETCHED_TOGETHER * head);
    this.#approximations = kernel.allocate(4 * SKETCHED_TOGETHER * dimensions);
  }

  /** @throws {RangeError} if there is no memory for it */
  newBlock(): BlockSketch {
    const { dimensions, head } = this.layout;
    const heads = this.#kernel.allocate(BLOCK_ROWS * sketchBytes(this.layout));
    const bits = heads + BLOCK_ROWS * head;
    const factors = bits + (BLOCK_ROWS * dimensions) / 8;
    return { heads, bits, factors, slacks: factors + 4 * BLOCK_ROWS };
  }

  /** Sketches at most `SKETCHED_TOGETHER` rows of a block. */
  sketch(block: Block, rows: readonly number[], sketch: BlockSketch): void {
    const { dimensions } = this.layout;
    const pairs = Math.ceil(rows.length / 2);
    const vectors = this.#kernel.floats(this.#vectors, rows.length * dimensions);
    const { codes, step } = block;
    for (const [n, row] of rows.entries()) {
      const own = codes.subarray(row * dimensions, (row + 1) * dimensions);
      writeFloats(own, step, vectors.subarray(n * dimensions, (n + 1) * dimensions));
    }
    this.#project(pairs);
    const isOutside = rows.map((row, n) => this.#writeHead(n, sketch.heads + row * this.layout.head));
    this.#keepRests(pairs);
    for (const [n, row] of rows.entries()) this.#writeRest(n, row, sketch, isOutside[n] === true);
  }

  newQuery(): SketchQuery {
    const { dimensions, head } = this.layout;
    const [numbers, heads] = [this.#kernel.allocate(16), this.#kernel.allocate(2 * head)];
    return { numbers, head: heads, tables: this.#kernel.allocate(tablesBytes(dimensions)) };
  }

  /** Writes the sketch of a query whose components are codes. */
  sketchQuery(codes: Int8Array, query: SketchQuery): Offset {
    const { dimensions, head } = this.layout;
    const vectors = this.#kernel.floats(this.#vectors, dimensions);
    vectors.set(codes);
    const fullLength = Math.sqrt(squares(vectors));
    this.#project(1);
    const coordinates = this.#kernel.floats(this.#coordinates, head);
    const { scale, offset, deviation } = this.#writeQueryHead(coordinates, query.head);
    this.#keepRests(1);
    const rest = this.#kernel.floats(this.#vectors, dimensions);
    const restLength = Math.sqrt(squares(rest));
    this.#rotation.apply(this.#vectors);
    const { step, sum } = writeTables(rest, this.#kernel.bytes(query.tables, tablesBytes(dimensions)));
    const tableDeviation = step * Math.sqrt((dimensions / TABLE_DIMENSIONS) * ROUNDED);
    // The deviations of three independent errors, for a slack of 1: of the signs, the heads and the tables.
    const all = Math.hypot(restLength, deviation / this.#minSlack, tableDeviation / MIN_SLACK_OF_FACTOR);
    this.#kernel.floats(query.numbers, 4).set([scale, step, -sum, this.#deviations * all]);
    return offset + FLOAT_SLACK * fullLength;
  }

  /** Computes the coordinates of vectors. */
  #project(pairs: number): void {
    const { dimensions, head } = this.layout;
    this.#kernel.functions.multiply(head, this.#axes, dimensions, pairs, this.#vectors, this.#coordinates);
  }

  /** Subtracts from vectors what their coordinates stand for. */
  #keepRests(pairs: number): void {
    const { dimensions, head } = this.layout;
    const { multiply } = this.#kernel.functions;
    multiply(dimensions, this.#transposedAxes, head, pairs, this.#coordinates, this.#approximations);
    const vectors = this.#kernel.floats(this.#vectors, 2 * pairs * dimensions);
    const approximations = this.#kernel.floats(this.#approximations, 2 * pairs * dimensions);
    for (let at = 0; at < vectors.length; at += 1) {
      vectors[at] = (vectors[at] as number) - (approximations[at] as number);
    }
  }

  /** Rounds the coordinates of a vector, and writes them. Returns true if one is outside of the expected range. */
  #writeHead(n: number, address: number): boolean {
    const { head } = this.layout;
    const coordinates = this.#kernel.floats(this.#coordinates + 4 * n * head, head);
    const codes = this.#kernel.int8s(address, head);
    let isOutside = false;
    for (let at = 0; at < head; at += 1) {
      const [centre, step] = [this.#centres[at] as number, this.#steps[at] as number];
      const rounded = Math.round(((coordinates[at] as number) - centre) / step);
      const code = Math.max(-LARGEST_HEAD, Math.min(LARGEST_HEAD, rounded));
      if (code !== rounded) isOutside = true;
      codes[at] = code;
      coordinates[at] = centre + code * step;
    }
    return isOutside;
  }

  #writeRest(n: number, row: number, { bits, factors, slacks }: BlockSketch, isOutside: boolean): void {
    const { dimensions } = this.layout;
    const address = this.#vectors + 4 * n * dimensions;
    this.#rotation.apply(address);
    const rest = this.#kernel.floats(address, dimensions);
    const square = squares(rest);
    let sizes = 0;
    for (let at = 0; at < dimensions; at += 1) sizes += Math.abs(rest[at] as number);
    const first = row - (row % ROWS_TOGETHER);
    this.#kernel.functions.signs(address, dimensions, bits + (first * dimensions) / 8 + (row % ROWS_TOGETHER));
    // The square of the cosine between the rest and its signs.
    const agreement = sizes > 0 ? sizes ** 2 / square / dimensions : 1;
    const own = Math.sqrt((square * (1 - agreement)) / agreement / (dimensions - 1));
    const factor = sizes > 0 ? square / sizes : 0;
    const slack = Math.max(own, this.#minSlack, factor * MIN_SLACK_OF_FACTOR);
    this.#kernel.floats(factors + 4 * row, 1)[0] = factor;
    this.#kernel.floats(slacks + 4 * row, 1)[0] = isOutside ? UNKNOWN_SLACK : slack;
  }

  /**
   * Writes the head of a query, multiplied by the steps of the rows.
   *
   * @returns the scale of its products, the product of the coordinates with the centres, and the deviation of rounding
   */
  #writeQueryHead(coordinates: Float32Array, address: number): { scale: number; offset: number; deviation: number } {
    let largest = Number.MIN_VALUE;
    let offset = 0;
    let sum = 0;
    for (let at = 0; at < coordinates.length; at += 1) {
      const coordinate = coordinates[at] as number;
      const stepped = coordinate * (this.#steps[at] as number);
      largest = Math.max(largest, Math.abs(stepped));
      offset += coordinate * (this.#centres[at] as number);
      sum += stepped ** 2;
    }
    const scale = largest / LARGEST_INT16;
    const codes = this.#kernel.int16s(address, coordinates.length);
    for (let at = 0; at < coordinates.length; at += 1) {
      codes[at] = Math.round(((coordinates[at] as number) * (this.#steps[at] as number)) / scale);
    }
    const ownRounding = coordinates.length * (scale * LARGEST_HEAD) ** 2;
    return { scale, offset, deviation: Math.sqrt((sum + ownRounding) * ROUNDED) };
  }

  #stored(values: Float32Array): number {
    const address = this.#kernel.allocate(values.byteLength);
    this.#kernel.floats(address, values.length).set(values);
    return address;
  }
}

/** A function of its own is compiled to much faster code than a loop among others. */
function writeFloats(codes: Int8Array, step: number, to: Float32Array): void {
  for (let at = 0; at < to.length; at += 1) to[at] = (codes[at] as number) * step;
}

function squares(vector: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] as number) ** 2;
  return sum;
}
