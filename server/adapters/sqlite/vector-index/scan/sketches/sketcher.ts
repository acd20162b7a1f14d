import { BLOCK_ROWS, type Block } from '../block.js';
import type { PrincipalAxes } from './axes/principal-axes.js';
import { Projection } from './axes/projection.js';
import type { SketchKernel } from './kernel.js';
import { ROWS_TOGETHER, type SketchLayout, sketchBytes } from './layout.js';
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
/** Allows for single precision, and for the rounding of axes. */
const ROUNDING_SLACK = 2e-5;

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
  readonly #projection: Projection;
  readonly #rotation: Rotation;
  readonly #centres: Float32Array;
  readonly #steps: Float32Array;
  readonly #deviations: number;
  /** The least slack of a row. */
  readonly #minSlack: number;
  /** Address of the results of `sizes`. */
  readonly #sizes: number;

  constructor(kernel: SketchKernel, layout: SketchLayout, axes: PrincipalAxes, deviations = DEVIATIONS) {
    const { dimensions } = layout;
    this.layout = layout;
    this.#kernel = kernel;
    this.#deviations = deviations;
    this.#rotation = new Rotation(kernel, dimensions);
    this.#centres = axes.centres;
    this.#steps = axes.ranges.map((range) => Math.max(MIN_STEP, (RANGE_MARGIN * range) / LARGEST_HEAD));
    this.#projection = new Projection(kernel, layout, axes, this.#steps, SKETCHED_TOGETHER);
    this.#minSlack = Math.max(MIN_STEP, (axes.restLength * USUAL_SLACK) / Math.sqrt(dimensions));
    this.#sizes = kernel.allocate(2 * 4);
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
  sketch({ codes, step }: Block, rows: readonly number[], sketch: BlockSketch): void {
    const { dimensions, head } = this.layout;
    const room = this.#projection.codes(rows.length);
    for (const [n, row] of rows.entries()) {
      room.set(codes.subarray(row * dimensions, (row + 1) * dimensions), n * dimensions);
    }
    this.#projection.project(rows.length, step);
    const isOutside = rows.map((row, n) => this.#writeHead(n, sketch.heads + row * head));
    this.#projection.subtractHeads(rows.length, step);
    for (const [n, row] of rows.entries()) this.#writeRest(n, row, sketch, isOutside[n] === true);
  }

  newQuery(): SketchQuery {
    const { dimensions, head } = this.layout;
    const [numbers, heads] = [this.#kernel.allocate(16), this.#kernel.allocate(2 * head)];
    return { numbers, head: heads, tables: this.#kernel.allocate(tablesBytes(dimensions)) };
  }

  /** Writes the sketch of a query whose components are codes. */
  sketchQuery(codes: Int8Array, query: SketchQuery): Offset {
    const { dimensions } = this.layout;
    this.#projection.codes(1).set(codes);
    this.#projection.project(1, 1);
    const { scale, offset, deviation } = this.#writeQueryHead(this.#projection.coordinates(0), query.head);
    this.#projection.subtractCoordinates(this.#steps);
    const address = this.#projection.rest(0);
    const restLength = Math.sqrt(this.#measured(address).squares);
    this.#rotation.apply(address);
    const rest = this.#kernel.floats(address, dimensions);
    const { step, sum } = writeTables(rest, this.#kernel.bytes(query.tables, tablesBytes(dimensions)));
    const tableDeviation = step * Math.sqrt((dimensions / TABLE_DIMENSIONS) * ROUNDED);
    // The deviations of three independent errors, for a slack of 1: of the signs, the heads and the tables.
    const all = Math.hypot(restLength, deviation / this.#minSlack, tableDeviation / MIN_SLACK_OF_FACTOR);
    this.#kernel.floats(query.numbers, 4).set([scale, step, -sum, this.#deviations * all]);
    return offset + ROUNDING_SLACK * lengthOf(codes);
  }

  /** Rounds the coordinates of a vector, and writes them. Returns true if one is outside of the expected range. */
  #writeHead(n: number, address: number): boolean {
    const coordinates = this.#projection.coordinates(n);
    const head = this.#projection.head(n);
    const codes = this.#kernel.int8s(address, head.length);
    let isOutside = false;
    for (let at = 0; at < head.length; at += 1) {
      const [centre, step] = [this.#centres[at] as number, this.#steps[at] as number];
      const rounded = Math.round(((coordinates[at] as number) - centre) / step);
      const code = Math.max(-LARGEST_HEAD, Math.min(LARGEST_HEAD, rounded));
      if (code !== rounded) isOutside = true;
      codes[at] = code;
      head[at] = code;
    }
    return isOutside;
  }

  #writeRest(n: number, row: number, { bits, factors, slacks }: BlockSketch, isOutside: boolean): void {
    const { dimensions } = this.layout;
    const address = this.#projection.rest(n);
    this.#rotation.apply(address);
    const { sizes, squares } = this.#measured(address);
    const first = row - (row % ROWS_TOGETHER);
    this.#kernel.functions.signs(address, dimensions, bits + (first * dimensions) / 8 + (row % ROWS_TOGETHER));
    // The square of the cosine between the rest and its signs.
    const agreement = sizes > 0 ? Math.min(1, sizes ** 2 / squares / dimensions) : 1;
    const own = Math.sqrt((squares * (1 - agreement)) / agreement / (dimensions - 1));
    const factor = sizes > 0 ? squares / sizes : 0;
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

  /** Returns the sum of the sizes of the components of a vector, and that of their squares. */
  #measured(address: number): { sizes: number; squares: number } {
    this.#kernel.functions.sizes(address, this.layout.dimensions, this.#sizes);
    const [sizes, squares] = this.#kernel.floats(this.#sizes, 2) as unknown as [number, number];
    return { sizes, squares };
  }
}

function lengthOf(codes: Int8Array): number {
  let squares = 0;
  for (let at = 0; at < codes.length; at += 1) squares += (codes[at] as number) ** 2;
  return Math.sqrt(squares);
}
