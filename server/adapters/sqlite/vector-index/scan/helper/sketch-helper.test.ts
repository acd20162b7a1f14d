import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { seededRandom } from '../../../../../testing/fixtures/random-text.js';
import { workerFile } from '../../../engine/threads/worker-file.js';
import { BLOCK_ROWS } from '../block.js';
import { newSketchKernel, type SketchKernel } from '../sketches/kernel.js';
import {
  OwnScanner,
  type PieceScanner,
  type Pieces,
  piecesBytes,
  type ScanRoom,
  scanPiece,
  writePieces,
} from '../sketches/pieces.js';
import type { BlockSketch, SketchQuery } from '../sketches/sketcher.js';
import { MAX_PIECES, SharedWork } from './shared-work.js';
import { SketchHelper } from './sketch-helper.js';

const LAYOUT = { dimensions: 512, head: 64 };
const BLOCKS = 4;
/** No bound. */
const UNWRITTEN = -1;
/** The helper may come late many times if the machine is busy. */
const SCANS = 2_000;

/** Sketches of some blocks and a query, all of random bytes. */
class World {
  readonly kernel: SketchKernel;
  readonly pieces: Pieces;
  readonly #query: SketchQuery;
  readonly #blocks: BlockSketch[];
  readonly #rooms = new Map<Pieces, ScanRoom & { rows: number }>();

  constructor(kernel = newSketchKernel()) {
    if (!kernel) throw new Error('this platform has no WebAssembly');
    this.kernel = kernel;
    const random = seededRandom(1);
    const filled = (bytes: number) => {
      const address = kernel.allocate(bytes);
      for (const view = kernel.bytes(address, bytes), at = { n: 0 }; at.n < bytes; at.n += 1)
        view[at.n] = 63 * random();
      return address;
    };
    const floats = (count: number) => {
      const address = kernel.allocate(4 * count);
      kernel.floats(address, count).set(Float32Array.from({ length: count }, () => random()));
      return address;
    };
    this.#query = { numbers: floats(4), head: filled(2 * LAYOUT.head), tables: filled(4 * LAYOUT.dimensions) };
    this.#blocks = Array.from({ length: BLOCKS }, () => {
      const heads = filled(BLOCK_ROWS * LAYOUT.head);
      const bits = filled((BLOCK_ROWS * LAYOUT.dimensions) / 8);
      return { heads, bits, factors: floats(BLOCK_ROWS), slacks: floats(BLOCK_ROWS) };
    });
    this.pieces = this.#piecesOf(this.#blocks);
  }

  /** Returns pieces of more blocks. All but the last are the same. */
  many(blocks: number): Pieces {
    const [first, ...others] = this.#blocks;
    return this.#piecesOf([...Array.from({ length: blocks - 1 }, () => first!), others.at(-1)!]);
  }

  /** Returns all bounds. */
  scan(scanner: PieceScanner, pieces = this.pieces): Buffer {
    this.begin(scanner, pieces);
    scanner.finish();
    return this.bounds(pieces);
  }

  begin(scanner: PieceScanner, pieces = this.pieces): void {
    for (const view of this.#views(pieces)) view.fill(UNWRITTEN);
    scanner.begin(pieces);
  }

  bounds(pieces = this.pieces): Buffer {
    const bytes = ({ buffer, byteOffset, byteLength }: Float32Array) => Buffer.from(buffer, byteOffset, byteLength);
    return Buffer.concat(this.#views(pieces).map(bytes));
  }

  /** True if all bounds have been written. */
  isScanned(pieces = this.pieces): boolean {
    return this.#views(pieces).every((view) => view.every((bound) => bound !== UNWRITTEN));
  }

  #views(pieces: Pieces): [uppers: Float32Array, largest: Float32Array] {
    const { uppers, largest, rows } = this.#rooms.get(pieces)!;
    return [this.kernel.floats(uppers, rows), this.kernel.floats(largest, rows / 16)];
  }

  #piecesOf(blocks: readonly BlockSketch[]): Pieces {
    const rows = blocks.length * BLOCK_ROWS;
    const [uppers, largest] = [this.kernel.allocate(4 * rows), this.kernel.allocate(rows / 4)];
    const room = { uppers, largest, pieces: this.kernel.allocate(piecesBytes(blocks.length)), rows };
    const pieces = writePieces(this.kernel, LAYOUT, this.#query, blocks, room);
    this.#rooms.set(pieces, room);
    return pieces;
  }
}

/** Starts threads, and ends them after the test. */
class Threads {
  readonly buffer = SharedWork.newBuffer();
  readonly started: Worker[] = [];
  readonly helper = new SketchHelper(this.buffer, () => {
    const workerData = { buffer: this.buffer };
    const worker = new Worker(workerFile('vector-index/scan/helper/helper-worker'), { workerData });
    onTestFinished(async () => void (await worker.terminate()));
    this.started.push(worker);
    return worker;
  });

  /** Scans until the helper has scanned at least `pieces` more pieces. All scans must find the same. */
  async scanHelped(world: World, pieces: number, expected: Buffer): Promise<void> {
    const enough = this.helper.helped + pieces;
    for (let scan = 0; this.helper.helped < enough; scan += 1) {
      if (scan === SCANS) throw new Error('the helper did nothing');
      world.begin(this.helper);
      // Every second time, the helper could scan all pieces.
      if (scan % 2 === 0) await setTimeout(2);
      this.helper.finish();
      expect(world.bounds().equals(expected)).toBe(true);
    }
  }
}

const registered: (() => void)[] = [];

beforeEach(() => {
  registered.length = 0;
  vi.stubGlobal(
    'FinalizationRegistry',
    class {
      readonly register: () => void;
      constructor(release: () => void) {
        this.register = () => void registered.push(release);
      }
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a helper scans a part of the pieces', async () => {
  const world = new World();
  const threads = new Threads();
  const expected = world.scan(new OwnScanner());

  await threads.scanHelped(world, 100, expected);

  expect(world.isScanned()).toBe(true);
  expect(threads.started).toHaveLength(1);
});

test('a helper reads memory that has grown, and that of other kernels', async () => {
  const [world, other] = [new World(), new World()];
  const threads = new Threads();
  const expected = world.scan(new OwnScanner());
  await threads.scanHelped(world, 1, expected);

  for (let size = 0; size < 3; size += 1) {
    world.kernel.allocate(10_000_000);
    await threads.scanHelped(new World(world.kernel), 1, expected);
  }
  await threads.scanHelped(other, 1, expected);

  expect(threads.started).toHaveLength(1);
});

test('all pieces are scanned, too, if the helper has no time', () => {
  const world = new World();
  const buffer = SharedWork.newBuffer();
  const helper = new SketchHelper(buffer, () => new Worker('', { eval: true }));

  expect(world.scan(helper).equals(world.scan(new OwnScanner()))).toBe(true);

  expect(helper.helped).toBe(0);
});

test('the owner scans a piece that the helper does not finish, whose bounds may be written later', () => {
  const world = new World();
  const buffer = SharedWork.newBuffer();
  const helper = new SketchHelper(buffer, () => new Worker('', { eval: true }));
  const late = new SharedWork(buffer);
  const expected = world.scan(new OwnScanner());
  const place = { kernel: world.kernel, address: world.pieces.address };
  const scanWhile = (work: () => void) => {
    world.begin(helper);
    work();
    helper.finish();
    return world.bounds().equals(expected);
  };

  const inTime = scanWhile(() => {
    scanPiece(world.pieces, late.take()!.index);
    late.done();
  });
  const isFree = !helper.isWriting(place);
  const tooLate = scanWhile(() => void late.take());
  const isHeld = helper.isWriting(place);
  const meanwhile = scanWhile(() => {});
  late.done();

  expect([inTime, tooLate, meanwhile]).toEqual([true, true, true]);
  expect([isFree, isHeld, helper.isWriting(place)]).toEqual([true, true, false]);
  expect(helper.isWriting({ ...place, address: place.address + 64 })).toBe(false);
});

test.each([0, 1, 3, 6])('the owner scans the missing piece if the helper took pieces from number %s on', (first) => {
  const world = new World();
  const buffer = SharedWork.newBuffer();
  const helper = new SketchHelper(buffer, () => new Worker('', { eval: true }));
  const [late, own] = [new SharedWork(buffer), vi.spyOn(SharedWork.prototype, 'takeOwn')];
  onTestFinished(() => own.mockRestore());
  const expected = world.scan(new OwnScanner());
  let turn = 0;
  own.mockImplementation(() => {
    // The helper takes two pieces one after the other, and does not finish the second.
    if (turn++ === first) {
      scanPiece(world.pieces, late.take()!.index);
      late.done();
      late.take();
    }
    return late.take()?.index;
  });

  const bounds = world.scan(helper);

  expect(bounds.equals(expected)).toBe(true);
  expect(helper.helped).toBe(2);
});

test('a helper ends when a kernel is released, and another one is started', async () => {
  const world = new World();
  const threads = new Threads();
  const expected = world.scan(new OwnScanner());
  await threads.scanHelped(world, 1, expected);
  const { helped } = threads.helper;
  const ended = new Promise((resolve) => threads.started[0]!.once('exit', resolve));

  expect(registered).toHaveLength(1);
  registered[0]!();
  registered[0]!();
  const meanwhile = world.scan(threads.helper);
  const helpedMeanwhile = threads.helper.helped - helped;
  await ended;

  expect(meanwhile.equals(expected)).toBe(true);
  expect(helpedMeanwhile).toBe(0);
  await threads.scanHelped(world, 1, expected);
  expect(threads.started).toHaveLength(2);
});

test('of more pieces than can be shared, the owner scans the others', () => {
  const world = new World();
  const helper = new SketchHelper(SharedWork.newBuffer(), () => new Worker('', { eval: true }));
  const pieces = world.many(MAX_PIECES);

  const bounds = world.scan(helper, pieces);

  expect(world.isScanned(pieces)).toBe(true);
  expect(bounds.equals(world.scan(new OwnScanner(), pieces))).toBe(true);
});
