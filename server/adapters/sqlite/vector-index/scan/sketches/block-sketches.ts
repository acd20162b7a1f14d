import { BLOCK_ROWS, type Block } from '../block.js';
import { principalAxes } from './axes/principal-axes.js';
import { newAxesKernel, type SketchKernel } from './kernel.js';
import { MIN_BLOCKS, type SketchLayout, sketchBytes } from './layout.js';
import { OwnScanner, type PieceScanner } from './pieces.js';
import { type BlockSketch, SKETCHED_TOGETHER, Sketcher, UNKNOWN_SLACK } from './sketcher.js';

/** Rows from which the axes are computed. */
const SAMPLE_ROWS = 2_048;
/** Growth after which the axes are computed again, since later rows may differ from the first ones. */
const GROWTH = 4;
/** Number of stale rows up to which the others of a block are compared by their sketches. */
const MAX_STALE = BLOCK_ROWS / 8;

export interface SketchOptions {
  /** Returns undefined if the platform has none. */
  newKernel: () => SketchKernel | undefined;
  /** See `DEVIATIONS` of `Sketcher`. With more of them, searches compare more rows, and miss fewer. */
  deviations?: number;
  /** Default: this thread scans all. */
  scanner?: PieceScanner | undefined;
}

/** A block with its sketches. */
interface Sketched extends BlockSketch {
  /** The step of the block when its rows were sketched. */
  step: number;
  /** Rows without a valid sketch. Their slack is `UNKNOWN_SLACK`. */
  stale: Set<number>;
}

/** Everything that was computed with the same axes. */
interface Generation {
  kernel: SketchKernel;
  sketcher: Sketcher;
  /** By the index of the block. */
  blocks: (Sketched | undefined)[];
  /** Sketches of blocks that ended, for other blocks. */
  free: BlockSketch[];
  /** Number of full blocks at the start. */
  started: number;
}

/** Makes and keeps the sketches of the full blocks of a matrix, in small steps. */
export class BlockSketches {
  readonly layout: SketchLayout;
  readonly scanner: PieceScanner;
  readonly #options: SketchOptions;
  readonly #blocks: readonly Block[];
  readonly #fullBlocks: () => number;
  /** Read by searches. */
  #generation: Generation | undefined;
  /** Replaces the generation once it has sketches of all full blocks. */
  #next: Generation | undefined;
  #work: Generator<void> | undefined;
  /** True if the platform has no kernel, or no memory for one. */
  #isUnable = false;

  /** @param blocks of the matrix, which change with it */
  constructor(options: SketchOptions, layout: SketchLayout, blocks: readonly Block[], fullBlocks: () => number) {
    this.layout = layout;
    this.scanner = options.scanner ?? new OwnScanner();
    this.#options = options;
    this.#blocks = blocks;
    this.#fullBlocks = fullBlocks;
  }

  /** Undefined until the axes are known. */
  get current(): { kernel: SketchKernel; sketcher: Sketcher } | undefined {
    return this.#generation;
  }

  /** Number of rows that have sketches, or will have them soon. */
  get rows(): number {
    const made = this.#generation?.blocks.filter((block) => block !== undefined).length ?? 0;
    return made * BLOCK_ROWS;
  }

  get bytes(): number {
    return this.rows * sketchBytes(this.layout);
  }

  /** Returns the sketches of a full block for a search, if almost all of them are valid. */
  toRead(index: number): BlockSketch | undefined {
    const sketched = this.#generation?.blocks[index];
    return sketched && sketched.stale.size <= MAX_STALE ? sketched : undefined;
  }

  /** Marks the sketch of a row that has changed. */
  changed(index: number, row: number): void {
    for (const generation of this.#generations) {
      const sketched = generation.blocks[index];
      if (sketched && sketched.step === this.#blocks[index]?.step) markStale(generation.kernel, sketched, row);
      else release(generation, index);
    }
  }

  /** Releases the sketches of blocks that ended. @param blocks number of remaining blocks */
  cut(blocks: number): void {
    for (const generation of this.#generations) {
      for (let index = blocks; index < generation.blocks.length; index += 1) release(generation, index);
    }
  }

  /** Does the next part of the work, of about a millisecond at most. Returns false if there is none now. */
  advance(): boolean {
    this.#work ??= this.#nextWork();
    if (!this.#work) return false;
    try {
      if (this.#work.next().done) this.#work = undefined;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#isUnable = true;
      this.#work = undefined;
      this.#next = undefined;
    }
    return true;
  }

  get #generations(): Generation[] {
    return [this.#generation, this.#next].filter((generation) => generation !== undefined);
  }

  #nextWork(): Generator<void> | undefined {
    const full = this.#fullBlocks();
    if (full < MIN_BLOCKS || this.#isUnable) return undefined;
    if (!this.#generation || full >= GROWTH * this.#generation.started) return this.#begin(full);
    for (let index = 0; index < full; index += 1) {
      const sketched = this.#generation.blocks[index];
      if (!sketched || sketched.stale.size > 0) return this.#sketch(this.#generation, index);
    }
    return undefined;
  }

  *#begin(full: number): Generator<void> {
    const { dimensions, head } = this.layout;
    const copyRow = (row: Int16Array) => this.#copyRow(Math.floor(Math.random() * full * BLOCK_ROWS), row);
    const sample = { rows: SAMPLE_ROWS, dimensions, copyRow };
    const { newKernel, deviations } = this.#options;
    const [axesKernel, kernel] = [newAxesKernel(), newKernel()];
    if (!axesKernel || !kernel) {
      this.#isUnable = true;
      return;
    }
    const axes = yield* principalAxes(axesKernel, sample, head);
    const sketcher = new Sketcher(kernel, this.layout, axes, deviations);
    const next: Generation = { kernel, sketcher, blocks: [], free: [], started: full };
    this.#generation ??= next;
    this.#next = next;
    for (let index = 0; index < this.#fullBlocks(); index += 1) yield* this.#sketch(next, index);
    this.#generation = next;
    this.#next = undefined;
  }

  /** Returns the step of the row. */
  #copyRow(at: number, row: Int16Array): number {
    const block = this.#blocks[Math.floor(at / BLOCK_ROWS)];
    if (!block) return 0;
    const start = (at % BLOCK_ROWS) * row.length;
    row.set(block.codes.subarray(start, start + row.length));
    return block.step;
  }

  *#sketch({ kernel, sketcher, blocks, free }: Generation, index: number): Generator<void> {
    blocks[index] ??= withoutSketches(kernel, free.pop() ?? sketcher.newBlock(), this.#blocks[index]?.step ?? 0);
    const sketched = blocks[index];
    while (sketched.stale.size > 0) {
      const block = this.#blocks[index];
      // Meanwhile the block may have ended, or its codes changed.
      if (!block || blocks[index] !== sketched) return;
      const rows = firstOf(sketched.stale, SKETCHED_TOGETHER);
      sketcher.sketch(block, rows, sketched);
      for (const row of rows) sketched.stale.delete(row);
      yield;
    }
  }
}

function withoutSketches(kernel: SketchKernel, addresses: BlockSketch, step: number): Sketched {
  const sketched = { ...addresses, step, stale: new Set<number>() };
  kernel.floats(addresses.slacks, BLOCK_ROWS).fill(UNKNOWN_SLACK);
  for (let row = 0; row < BLOCK_ROWS; row += 1) sketched.stale.add(row);
  return sketched;
}

function markStale(kernel: SketchKernel, { slacks, stale }: Sketched, row: number): void {
  stale.add(row);
  kernel.floats(slacks + 4 * row, 1)[0] = UNKNOWN_SLACK;
}

/** Keeps the memory of the sketches of a block for another one. */
function release({ blocks, free }: Generation, index: number): void {
  const sketched = blocks[index];
  if (!sketched) return;
  free.push(sketched);
  blocks[index] = undefined;
}

function firstOf(values: Iterable<number>, count: number): number[] {
  const found: number[] = [];
  for (const value of values) {
    if (found.length === count) break;
    found.push(value);
  }
  return found;
}
