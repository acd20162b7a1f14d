import { BLOCK_ROWS, type Block, candidateAt } from '../block.js';
import { type Found, type MatrixSearch, unseenBy } from '../matrix-search.js';
import { kthLargest } from '../sketches/kth-largest.js';
import { ROWS_TOGETHER } from '../sketches/layout.js';
import { reachedRows } from '../sketches/reached-rows.js';
import { bySimilarity, type Candidate } from '../top-candidates.js';
import type { ColumnKernel } from './column-kernel.js';
import { BIAS, columnQueryBytes, writeColumnQuery } from './column-query.js';

export interface ColumnOptions {
  /** Returns undefined if the platform has none. */
  newKernel: () => ColumnKernel | undefined;
  /** A larger matrix has no columns. */
  maxRows: number;
}

/** The kernel reads the rows of a line of a processor's cache at once. Those of a word of 32 bits are copied together. */
const [ROWS_OF_LINE, ROWS_OF_WORD] = [64, 4];
/** The bits that are inverted in a word. */
const BIASES = BIAS | (BIAS << 16);
/** A smaller matrix has no columns: its scan is a small part of a search. */
const MIN_ROWS = BLOCK_ROWS;
/** A query that is not 0 in more of the dimensions is compared with rows, since reading all columns takes longer. */
const MAX_SHARE = 1 / 2;
/** A search for more candidates than one in this many rows reads no columns: sorting them takes too long. */
const ROWS_PER_WANTED = 32;
/**
 * Number of searches before the work on columns begins, and of rows that each later search copies, in about 0.3 ms. Copying
 * them takes as long as some two hundred searches save. So no time and memory are spent on an organization that is hardly
 * searched.
 */
export const [SEARCHES_BEFORE, COPIED_ROWS] = [128, 128];

/** Addresses in a kernel. */
interface Room {
  kernel: ColumnKernel;
  query: number;
  /** The products of all rows. */
  products: number;
  /** The largest product of each `ROWS_TOGETHER` rows. */
  largest: number;
  /** The columns of each block. */
  columns: number[];
}

/** A block whose products are computed. */
interface Multiplied {
  block: Block;
  /** Index of its first row. */
  first: number;
  rows: number;
  /** The similarity of a product of 1. */
  scale: number;
}

/**
 * Keeps a copy of the codes of a matrix, by dimension: a column has the codes of all rows of a block in one dimension. So a
 * search reads only the dimensions in which its query is not 0, and finds what a scan finds. Queries of the local embedder are
 * 0 in most dimensions.
 */
export class MatrixColumns {
  readonly #dimensions: number;
  readonly #blocks: readonly Block[];
  readonly #options: ColumnOptions;
  #room: Room | undefined;
  /** Number of searches since the last release that would have read columns. */
  #searches = 0;
  /** Number of the first rows that are copied. */
  #copied = 0;
  /** Copied rows that have changed since. */
  readonly #stale = new Set<number>();
  /** The step of each block when its first row was copied. */
  readonly #steps: number[] = [];
  #isLackingMemory = false;

  /** @param blocks of the matrix, which change with it */
  constructor(dimensions: number, blocks: readonly Block[], options: ColumnOptions) {
    this.#dimensions = dimensions;
    this.#blocks = blocks;
    this.#options = options;
  }

  get bytes(): number {
    return (this.#room?.columns.length ?? 0) * BLOCK_ROWS * this.#dimensions;
  }

  /** Notes that a row was written. */
  changed(slot: number): void {
    const index = Math.floor(slot / BLOCK_ROWS);
    const start = index * BLOCK_ROWS;
    if (start < this.#copied && this.#steps[index] !== this.#blocks[index]?.step) this.#copied = start;
    if (slot < this.#copied) this.#stale.add(slot);
  }

  /** Notes that only the first rows remain. */
  cut(rows: number): void {
    this.#copied = Math.min(this.#copied, rows);
  }

  /** Deletes the columns until as many searches as at first have run. */
  release(): void {
    this.#room = undefined;
    this.#searches = 0;
    this.#copied = 0;
    this.#stale.clear();
  }

  /** Returns the best rows. Returns undefined if the columns are not ready, or of no use. Does a part of the work on them. */
  search({ query, k }: MatrixSearch, rows: number): Found | undefined {
    if (rows > this.#options.maxRows) this.release();
    if (rows < MIN_ROWS || rows > this.#options.maxRows || rows < k * ROWS_PER_WANTED) return undefined;
    const read = countOf(query.codes);
    if (read === 0 || read > this.#dimensions * MAX_SHARE) return undefined;
    const room = this.#prepared(rows);
    if (!room) return undefined;
    writeColumnQuery(query.codes, room.kernel.uint32s(room.query, columnQueryBytes(this.#dimensions) / 4));
    const blocks = this.#multiply(room, rows, query.step);
    const candidates = reached(room, blocks, leastOfBest(room, blocks, k)).sort(bySimilarity);
    if (candidates.length > k) candidates.length = k;
    return { candidates, unseen: unseenBy(candidates, k), bytes: read * rows };
  }

  /** Computes the products of the query with all rows. */
  #multiply({ kernel, query, products, largest, columns }: Room, rows: number, queryStep: number): Multiplied[] {
    kernel.bytes(products, 4 * rowsOfLines(rows)).fill(0);
    const multiplied: Multiplied[] = [];
    for (let first = 0; first < rows; first += BLOCK_ROWS) {
      const block = this.#blocks[first / BLOCK_ROWS] as Block;
      const ownRows = Math.min(BLOCK_ROWS, rows - first);
      const own = { products: products + 4 * first, largest: largest + (4 * first) / ROWS_TOGETHER };
      const address = columns[first / BLOCK_ROWS] as number;
      kernel.functions.columns(rowsOfLines(ownRows), address, query, own.products, own.largest);
      multiplied.push({ block, first, rows: ownRows, scale: block.step * queryStep });
    }
    return multiplied;
  }

  /** Returns the columns if all rows are copied. Copies some of them otherwise. */
  #prepared(rows: number): Room | undefined {
    const isReady = () => this.#copied >= rows && this.#stale.size === 0;
    if (!isReady()) {
      this.#searches += 1;
      if (this.#searches <= SEARCHES_BEFORE || this.#isLackingMemory) return undefined;
      try {
        this.#copySome(rows);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.#isLackingMemory = true;
        this.release();
      }
    }
    return isReady() ? this.#room : undefined;
  }

  /** Does the part of the work that belongs to one search. @throws {RangeError} if there is no memory for the columns */
  #copySome(rows: number): void {
    if (!this.#room) {
      // Compiling the kernel takes some milliseconds, once.
      this.#room = this.#newRoom();
      return;
    }
    let left = COPIED_ROWS;
    for (const slot of this.#stale) {
      if (left === 0) return;
      if (slot < this.#copied) this.#copy(this.#room, slot, slot + 1);
      this.#stale.delete(slot);
      left -= 1;
    }
    while (left > 0 && this.#copied < rows) {
      const endOfBlock = (Math.floor(this.#copied / BLOCK_ROWS) + 1) * BLOCK_ROWS;
      const end = Math.min(rows, this.#copied + left, endOfBlock);
      this.#copy(this.#room, this.#copied, end);
      left -= end - this.#copied;
      this.#copied = end;
    }
  }

  #newRoom(): Room | undefined {
    const kernel = this.#options.newKernel();
    if (!kernel) return undefined;
    const maxRows = Math.ceil(this.#options.maxRows / BLOCK_ROWS) * BLOCK_ROWS;
    return {
      kernel,
      query: kernel.allocate(columnQueryBytes(this.#dimensions)),
      products: kernel.allocate(4 * maxRows),
      largest: kernel.allocate((4 * maxRows) / ROWS_TOGETHER),
      columns: [],
    };
  }

  /** Copies rows of one block, each with the others of its word. */
  #copy({ kernel, columns }: Room, from: number, to: number): void {
    const index = Math.floor(from / BLOCK_ROWS);
    const { codes, step } = this.#blocks[index] as Block;
    const address = columns[index] ?? kernel.allocate(BLOCK_ROWS * this.#dimensions);
    columns[index] = address;
    const words = kernel.uint32s(address, (BLOCK_ROWS * this.#dimensions) / ROWS_OF_WORD);
    const first = Math.floor((from % BLOCK_ROWS) / ROWS_OF_WORD) * ROWS_OF_WORD;
    const end = (from % BLOCK_ROWS) + to - from;
    if (first === 0) this.#steps[index] = step;
    // The rows of a line are copied together, since writing a line repeatedly takes long.
    for (let row = first; row < end; row += ROWS_OF_LINE) {
      copyWords(codes, words, this.#dimensions, { row, end: Math.min(end, row + ROWS_OF_LINE) });
    }
  }
}

/** Returns the number of rows of all lines that contain one of the first rows. */
function rowsOfLines(rows: number): number {
  return Math.ceil(rows / ROWS_OF_LINE) * ROWS_OF_LINE;
}

/** Returns a similarity that at least `k` rows reach, and not many more. */
function leastOfBest({ kernel, largest }: Room, blocks: readonly Multiplied[], k: number): number {
  const most = kernel.floats(largest, (blocks.length * BLOCK_ROWS) / ROWS_TOGETHER);
  const best = new Float64Array(most.length);
  let count = 0;
  for (const { first, rows, scale } of blocks) {
    // Products beyond the last row have no meaning. So the last rows do not count if they are less than a group.
    const end = Math.floor((first + rows) / ROWS_TOGETHER);
    for (let group = first / ROWS_TOGETHER; group < end; group += 1) best[count++] = (most[group] as number) * scale;
  }
  return kthLargest(best.subarray(0, count), k);
}

/** Returns the rows that are at least as similar, unordered. */
function reached(room: Room, blocks: readonly Multiplied[], least: number): Candidate[] {
  const rowsOfAll = blocks.length * BLOCK_ROWS;
  const numbers = room.kernel.floats(room.products, rowsOfAll);
  const largest = room.kernel.floats(room.largest, rowsOfAll / ROWS_TOGETHER);
  return blocks.flatMap(({ block, first, rows, scale }) => {
    // Products are integers.
    const found = reachedRows({ numbers, largest }, { first, rows }, least / scale - 0.5);
    return found.map((row) => candidateAt(block, row, scale * (numbers[first + row] as number)));
  });
}

/** Copies rows, and those behind them up to the end of a word. */
function copyWords(
  codes: Int8Array,
  words: Uint32Array,
  dimensions: number,
  { row, end }: { row: number; end: number },
): void {
  const byte = (at: number) => (codes[at] as number) & 0xff;
  for (let dimension = 0; dimension < dimensions; dimension += 1) {
    const to = (dimension * BLOCK_ROWS + row) / ROWS_OF_WORD;
    let at = row * dimensions + dimension;
    for (let n = 0; n < (end - row) / ROWS_OF_WORD; n += 1) {
      const low = byte(at) | (byte(at + dimensions) << 8);
      const high = byte(at + 2 * dimensions) | (byte(at + 3 * dimensions) << 8);
      words[to + n] = (low | (high << 16)) ^ BIASES;
      at += ROWS_OF_WORD * dimensions;
    }
  }
}

function countOf(codes: Int8Array): number {
  let count = 0;
  for (let at = 0; at < codes.length; at += 1) if (codes[at] !== 0) count += 1;
  return count;
}
