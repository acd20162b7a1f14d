import { BLOCK_ROWS } from '../block.js';
import type { Quantized } from '../codes/quantize.js';
import type { BlockSketches } from './block-sketches.js';
import type { SketchKernel } from './kernel.js';
import { kthLargest } from './kth-largest.js';
import { ROWS_TOGETHER, sketchBytes } from './layout.js';
import { type PieceScanner, piecesBytes, type ScanRoom, writePieces } from './pieces.js';
import { type RowNumbers, reachedRows } from './reached-rows.js';
import { type BlockSketch, type Sketcher, type SketchQuery, UNKNOWN_SLACK } from './sketcher.js';
import { Worth } from './worth.js';

/** Bounds of rows without a valid sketch are above this. */
const UNKNOWN_BOUND = 1e-6 * UNKNOWN_SLACK;

/** Addresses for one query. */
export interface FirstPassRoom {
  query: SketchQuery;
  /** Two, since a thread may still write into one of them. */
  scans: readonly [BlocksRoom, BlocksRoom];
}

/** Room for the scan of a number of blocks. */
type BlocksRoom = ScanRoom & { blocks: number };

/** Upper bounds of the products of one query with the rows of some blocks. */
export class FirstPass {
  readonly #kernel: SketchKernel;
  readonly #sketches: BlockSketches;
  readonly #query: SketchQuery;
  readonly #room: BlocksRoom;
  readonly #step: number;
  readonly #offset: number;
  readonly #scanner: PieceScanner;
  /** By the indexes of the added blocks. */
  readonly #added = new Map<number, BlockSketch>();
  #bounds: RowNumbers | undefined;
  #hasBegun = false;
  /** The indexes of the added blocks. */
  readonly blocks: number[] = [];

  constructor(
    kernel: SketchKernel,
    sketches: BlockSketches,
    { query, scans }: FirstPassRoom,
    step: number,
    offset: number,
  ) {
    this.#kernel = kernel;
    this.#sketches = sketches;
    this.#step = step;
    this.#offset = offset;
    this.#scanner = sketches.scanner;
    this.#query = query;
    const [one, other] = scans;
    this.#room = this.#scanner.isWriting({ kernel, address: one.pieces }) ? other : one;
  }

  /** Number of bytes of sketches that were read. */
  get bytes(): number {
    return this.rows * sketchBytes(this.#sketches.layout);
  }

  get rows(): number {
    return this.blocks.length * BLOCK_ROWS;
  }

  has(index: number): boolean {
    return this.#added.has(index);
  }

  /** Adds those of the first blocks that have sketches, as long as there is memory for bounds. All must be full. */
  addFirst(blocks: number): void {
    this.#reserve(blocks);
    for (let index = 0; index < blocks && this.blocks.length < this.#room.blocks; index += 1) {
      const sketch = this.#sketches.toRead(index);
      if (!sketch) continue;
      this.#added.set(index, sketch);
      this.blocks.push(index);
    }
  }

  /** Begins to read the sketches of the added blocks, if other threads help. All passes that began before must be finished. */
  begin(): void {
    if (this.blocks.length === 0) return;
    const sketches = [...this.#added.values()];
    this.#scanner.begin(writePieces(this.#kernel, this.#sketches.layout, this.#query, sketches, this.#room));
    this.#hasBegun = true;
  }

  /** Returns when the sketches of the added blocks have been read. */
  finish(): void {
    if (!this.#hasBegun) this.begin();
    this.#scanner.finish();
    const { uppers, largest } = this.#room;
    this.#bounds = {
      numbers: this.#kernel.floats(uppers, this.rows),
      largest: this.#kernel.floats(largest, this.rows / ROWS_TOGETHER),
    };
  }

  /** Returns a similarity that the bounds of about `count` rows reach, and those of rows without a valid sketch. */
  likely(count: number): number {
    const { largest } = this.#finished;
    const bounds = new Float32Array(largest.length);
    let known = 0;
    for (let at = 0; at < largest.length; at += 1) {
      const bound = largest[at] as number;
      if (bound < UNKNOWN_BOUND) bounds[known++] = bound;
    }
    return (kthLargest(bounds.subarray(0, known), count) + this.#offset) * this.#step;
  }

  /**
   * Returns the rows of a block whose bounds are at least `from`, and less than `below`.
   *
   * @param n number of the block in `blocks`
   */
  reached(n: number, from: number, below = Number.POSITIVE_INFINITY): number[] {
    const rows = { first: n * BLOCK_ROWS, rows: BLOCK_ROWS };
    return reachedRows(this.#finished, rows, this.#boundOf(from), this.#boundOf(below));
  }

  get #finished(): RowNumbers {
    if (!this.#bounds) throw new Error('The pass is not finished');
    return this.#bounds;
  }

  #boundOf(similarity: number): number {
    return similarity / this.#step - this.#offset;
  }

  /** Makes room for the bounds of at least so many blocks, unless the memory is full. */
  #reserve(blocks: number): void {
    if (blocks <= this.#room.blocks) return;
    const more = 2 * blocks;
    const reserved = unlessFull(() => ({
      blocks: more,
      uppers: this.#kernel.allocate(4 * BLOCK_ROWS * more),
      largest: this.#kernel.allocate((4 * BLOCK_ROWS * more) / ROWS_TOGETHER),
      pieces: this.#kernel.allocate(piecesBytes(more)),
    }));
    if (reserved) Object.assign(this.#room, reserved);
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
    const room = unlessFull(() => this.#room(n, sketcher));
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

  #room(n: number, sketcher: Sketcher): FirstPassRoom {
    const room = this.#rooms[n] ?? {
      query: sketcher.newQuery(),
      scans: [newBlocksRoom(), newBlocksRoom()],
    };
    this.#rooms[n] = room;
    return room;
  }
}

function newBlocksRoom(): BlocksRoom {
  return { blocks: 0, uppers: 0, largest: 0, pieces: 0 };
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
