import { BLOCK_ROWS } from '../block.js';
import type { Quantized } from '../quantize.js';
import type { BlockSketches } from './block-sketches.js';
import type { SketchKernel } from './kernel.js';
import { kthLargest } from './kth-largest.js';
import { ROWS_TOGETHER, sketchBytes } from './layout.js';
import { type BlockBounds, type PieceScanner, piecesBytes, writePieces } from './pieces.js';
import { type BlockSketch, type Sketcher, type SketchQuery, UNKNOWN_SLACK } from './sketcher.js';
import { Worth } from './worth.js';

/** Bounds of rows without a valid sketch are above this. */
const UNKNOWN_BOUND = 1e-6 * UNKNOWN_SLACK;

/** Addresses for one query. */
export interface FirstPassRoom {
  query: SketchQuery;
  /** Addresses of the bounds of each block that was read. */
  bounds: BlockBounds[];
  /** Address of the pieces of a scan, and for how many blocks there is room. */
  pieces: { address: number; blocks: number };
  /** Address of the found indexes. */
  found: number;
}

/** Upper bounds of the products of one query with the rows of some blocks. */
export class FirstPass {
  readonly #kernel: SketchKernel;
  readonly #sketches: BlockSketches;
  readonly #room: FirstPassRoom;
  readonly #step: number;
  readonly #offset: number;
  readonly #scanner: PieceScanner;
  /** By the indexes of the added blocks. */
  readonly #addresses = new Map<number, BlockSketch & BlockBounds>();
  #hasBegun = false;
  /** The indexes of the added blocks. */
  readonly blocks: number[] = [];

  constructor(kernel: SketchKernel, sketches: BlockSketches, room: FirstPassRoom, step: number, offset: number) {
    this.#kernel = kernel;
    this.#sketches = sketches;
    this.#room = room;
    this.#step = step;
    this.#offset = offset;
    this.#scanner = sketches.scanner;
  }

  /** Number of bytes of sketches that were read. */
  get bytes(): number {
    return this.rows * sketchBytes(this.#sketches.layout);
  }

  get rows(): number {
    return this.blocks.length * BLOCK_ROWS;
  }

  has(index: number): boolean {
    return this.#addresses.has(index);
  }

  /** Adds those of the first blocks that have sketches, as long as there is memory for bounds. All must be full. */
  addFirst(blocks: number): void {
    for (let index = 0; index < blocks; index += 1) {
      const sketch = this.#sketches.toRead(index);
      const bounds = sketch && unlessFull(() => this.#boundsOf(this.blocks.length));
      if (!bounds) continue;
      this.#addresses.set(index, { ...sketch, ...bounds });
      this.blocks.push(index);
    }
  }

  /** Begins to read the sketches of the added blocks, if other threads help. All passes that began before must be finished. */
  begin(): void {
    if (this.blocks.length === 0) return;
    const { query, pieces } = this.#room;
    const blocks = [...this.#addresses.values()];
    this.#scanner.begin(writePieces(this.#kernel, pieces.address, this.#sketches.layout, query, blocks));
    this.#hasBegun = true;
  }

  /** Returns when the sketches of the added blocks have been read. */
  finish(): void {
    if (!this.#hasBegun) this.begin();
    this.#scanner.finish();
  }

  /** Returns a similarity that the bounds of about `count` rows reach, and those of rows without a valid sketch. */
  likely(count: number): number {
    const each = BLOCK_ROWS / ROWS_TOGETHER;
    const bounds = new Float32Array(this.blocks.length * each);
    let known = 0;
    for (let n = 0; n < this.blocks.length; n += 1) {
      const largest = this.#kernel.floats(this.#boundsOf(n).largest, each);
      for (let at = 0; at < each; at += 1) {
        const bound = largest[at] as number;
        if (bound < UNKNOWN_BOUND) bounds[known++] = bound;
      }
    }
    return (kthLargest(bounds.subarray(0, known), count) + this.#offset) * this.#step;
  }

  /**
   * Returns the rows of a block whose bounds are at least `from`, and less than `below`.
   *
   * @param n number of the block in `blocks`
   */
  reached(n: number, from: number, below = Number.POSITIVE_INFINITY): Uint16Array {
    const [atLeast, less] = [from, below].map((similarity) => similarity / this.#step - this.#offset) as [
      number,
      number,
    ];
    const { uppers } = this.#boundsOf(n);
    const count = this.#kernel.functions.reach(BLOCK_ROWS, uppers, atLeast, less, this.#room.found);
    return this.#kernel.uint16s(this.#room.found, count);
  }

  #boundsOf(n: number): BlockBounds {
    const known = this.#room.bounds[n];
    if (known) return known;
    const uppers = this.#kernel.allocate(4 * BLOCK_ROWS);
    const bounds = { uppers, largest: this.#kernel.allocate((4 * BLOCK_ROWS) / ROWS_TOGETHER) };
    this.#reservePieces(n + 1);
    this.#room.bounds.push(bounds);
    return bounds;
  }

  #reservePieces(blocks: number): void {
    if (blocks <= this.#room.pieces.blocks) return;
    const address = this.#kernel.allocate(piecesBytes(2 * blocks));
    this.#room.pieces = { address, blocks: 2 * blocks };
  }
}

/** Starts first passes, and keeps the memory that they use. */
export class FirstPasses {
  readonly #sketches: BlockSketches;
  readonly #worth = new Worth();
  #kernel: SketchKernel | undefined;
  #rooms: FirstPassRoom[] = [];

  constructor(sketches: BlockSketches) {
    this.#sketches = sketches;
  }

  /**
   * Returns undefined as long as there are no axes, or if sketches are not worth reading.
   *
   * @param n number of the query among those that run together
   */
  begin({ codes, step }: Quantized, n: number): FirstPass | undefined {
    const current = this.#sketches.current;
    if (!current || !this.#worth.shouldTry()) return undefined;
    const { kernel, sketcher } = current;
    if (kernel !== this.#kernel) this.#rooms = [];
    this.#kernel = kernel;
    const room = unlessFull(() => this.#room(n, current));
    return room && new FirstPass(kernel, this.#sketches, room, step, sketcher.sketchQuery(codes, room.query));
  }

  /** True unless searches by sketches have cost more than others. */
  get areWorthIt(): boolean {
    return this.#worth.isGiven;
  }

  /** Learns from the second pass of a search. */
  learn({ rows }: FirstPass, { copied, scanned }: { copied: number; scanned: number }): void {
    this.#worth.learn(rows, copied, scanned);
  }

  #room(n: number, { kernel, sketcher }: { kernel: SketchKernel; sketcher: Sketcher }): FirstPassRoom {
    const room = this.#rooms[n] ?? {
      query: sketcher.newQuery(),
      bounds: [],
      pieces: { address: 0, blocks: 0 },
      found: kernel.allocate(2 * BLOCK_ROWS),
    };
    this.#rooms[n] = room;
    return room;
  }
}

/** Returns undefined if the memory is full. */
function unlessFull<T>(allocate: () => T): T | undefined {
  try {
    return allocate();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
