import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MatrixPair } from '../../../../../testing/embedded/matrix-pair.js';
import { seededRandom } from '../../../../../testing/fixtures/random-text.js';
import { LocalEmbedder } from '../../../../embedding/local/local-embedder.js';
import { BLOCK_ROWS } from '../block.js';
import { type QuantizedVector, quantized } from '../codes/quantize.js';
import { VectorMatrix } from '../matrix.js';
import { loadScan } from '../scan.js';
import type { SketchOptions } from './block-sketches.js';
import { newSketchKernel, SketchKernel } from './kernel.js';
import { bytesOfSketches, layoutFor, sketchBytes } from './layout.js';
import { OwnScanner, type Pieces, type PiecesPlace } from './pieces.js';

const DIMENSIONS = 512;
const ROWS = 2 * BLOCK_ROWS + 200;
const K = 20;
const SEARCHES = 12;
const MANY_SEARCHES = 150;
const SKETCH_BYTES = sketchBytes({ dimensions: DIMENSIONS, head: 64 });
const CODES_BYTES = ROWS * DIMENSIONS;
const scan = loadScan();
/** Those of the service, and those of searches that miss no row by chance. */
const USUAL = { newKernel: newSketchKernel };
const SURE = { ...USUAL, deviations: 6 };

// Rotations and samples are random.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockImplementation(seededRandom(1));
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a search with sketches', () => {
  test.each([
    ['random', (random: () => number) => () => randomUnit(random), DIMENSIONS],
    ['clustered', clustered, DIMENSIONS],
    ['nearly equal', (random: () => number) => nearTo(random, randomUnit(random), 0.01), DIMENSIONS],
    ['equal', (random: () => number) => equal(random), DIMENSIONS],
    ['sparse', (random: () => number) => () => sparse(random, DIMENSIONS), DIMENSIONS],
    ['longer', (random: () => number) => () => sparse(random, 768), 768],
  ])('finds what a scan finds, for %s vectors', (_, maker, dimensions) => {
    const random = seededRandom(7);
    const make = maker(random);
    const world = new World(Array.from({ length: ROWS }, make), dimensions);
    world.sketchAll();
    const queries = Array.from({ length: SEARCHES }, (_each, n) => quantized(n % 2 === 0 ? make() : world.vectorOf(n)));

    for (const query of queries) world.expectSame(query);
    for (const query of queries) world.expectNeeded(query, { rows: 3, within: 0.01 });
    world.changeRandomly(random, make, 400);
    for (const query of queries) world.expectSame(query);
    world.sketchAll();
    for (const query of queries) world.expectSame(query);
  });

  test('finds what a scan finds among real sentences, and reads a third of the bytes', async () => {
    const { world, queries } = await realWorld(USUAL);

    const bytes = queries.map((query) => world.expectSame(query));

    expect(Math.max(...bytes)).toBeLessThan(CODES_BYTES / 2);
    expect(sum(bytes) / bytes.length).toBeLessThan(0.4 * CODES_BYTES);
    expect(Math.min(...bytes)).toBeGreaterThan(2 * BLOCK_ROWS * SKETCH_BYTES);
  });

  test('reads less if fewer rows are needed', async () => {
    const { world, queries } = await realWorld(SURE);

    const bytes = queries.map((query) => world.expectSame(query));
    const needed = queries.map((query) => world.expectNeeded(query, { rows: 1, within: 0 }));

    expect(sum(needed)).toBeLessThan(sum(bytes));
  });

  test.each([
    ['clustered', clustered],
    ['nearly equal', (random: () => number) => nearTo(random, randomUnit(random), 0.01)],
    ['sparse', (random: () => number) => () => sparse(random, DIMENSIONS)],
  ])('misses at most three of a thousand %s vectors', (_, maker) => {
    const random = seededRandom(13);
    const make = maker(random);
    const world = new World(Array.from({ length: ROWS }, make), DIMENSIONS, USUAL);
    world.sketchAll();

    let found = 0;
    for (let search = 0; search < MANY_SEARCHES; search += 1) found += world.found(quantized(make()));

    expect(world.matrix.isSketched).toBe(true);
    expect(found / (MANY_SEARCHES * K)).toBeGreaterThanOrEqual(0.997);
  });

  test('writes its bounds elsewhere if a thread may still write those of a former search', async () => {
    const scanner = new LateScanner();
    const { world, queries } = await realWorld({ ...SURE, scanner });
    for (const query of queries) world.expectSame(query);
    const places = new Set(scanner.places);

    scanner.isLate = true;
    for (const query of queries) world.expectSame(query);
    const later = scanner.places.slice(-queries.length);

    expect(places.size).toBe(1);
    expect(new Set(later).size).toBe(2);
    expect(later.filter((place, n) => place === later[n - 1])).toEqual([]);
  });

  test('compares all rows if it must be exact, for many candidates, and if all rows are alike', () => {
    const random = seededRandom(8);
    const codes = quantized(randomUnit(random));
    const world = new World(
      Array.from({ length: ROWS }, () => randomUnit(random)),
      DIMENSIONS,
    );
    world.sketchAll();

    expect(world.bytesOf(codes, { exact: true })).toBe(CODES_BYTES);
    expect(world.bytesOf(codes, { k: Math.ceil(ROWS / 50) })).toBe(CODES_BYTES);
    expect(world.bytesOf(codes)).toBeGreaterThan(CODES_BYTES);
    for (let search = 0; search < 20; search += 1) world.bytesOf(codes);
    expect(world.bytesOf(codes)).toBe(CODES_BYTES);
  });
});

describe('sketches', () => {
  test('are made before any search, in short parts', () => {
    const random = seededRandom(9);
    const world = new World(Array.from({ length: ROWS }, clustered(random)), DIMENSIONS);

    expect(world.matrix.advance()).toBe(true);
    expect(world.matrix.isSketched).toBe(false);
    world.sketchAll();

    expect(world.matrix.isSketched).toBe(true);
    expect(world.matrix.advance()).toBe(false);
    expect(world.matrix.bytes).toBeGreaterThan(world.plain.bytes + 2 * BLOCK_ROWS * SKETCH_BYTES - 1);
  });

  test('of rows that changed are made again, if they are few too', () => {
    const random = seededRandom(14);
    const world = new World(Array.from({ length: 2 * BLOCK_ROWS }, clustered(random)), DIMENSIONS);
    const query = quantized(world.vectorOf(0));
    const changed = 100;
    world.sketchAll();
    const before = world.bytesOf(query);

    for (let seq = 1; seq <= changed; seq += 1) world.put(seq, world.vectorOf(seq));
    const stale = world.bytesOf(query);
    world.sketchAll();

    expect(stale).toBeGreaterThan(before + (changed / 2) * DIMENSIONS);
    expect(world.bytesOf(query)).toBe(before);
  });

  test('are not made if the platform has no kernel', () => {
    const random = seededRandom(15);
    const newKernel = vi.fn(() => undefined);
    const world = new World(Array.from({ length: ROWS }, clustered(random)), DIMENSIONS, { newKernel });

    world.sketchAll();

    expect(newKernel).toHaveBeenCalled();
    expect(world.matrix.isSketched).toBe(false);
    expect(world.matrix.advance()).toBe(false);
    expect(world.bytesOf(quantized(world.vectorOf(1)))).toBe(CODES_BYTES);
  });

  test('are not made by a matrix without them, or for few rows', () => {
    const random = seededRandom(10);
    const vectors = Array.from({ length: 2 * BLOCK_ROWS - 1 }, clustered(random));
    const world = new World(vectors, DIMENSIONS);

    for (let search = 0; search < 100; search += 1) world.bytesOf(quantized(vectors[0]!));

    expect(world.matrix.advance()).toBe(false);
    expect(world.plain.advance()).toBe(false);
    expect(world.bytesOf(quantized(vectors[0]!))).toBe(vectors.length * DIMENSIONS);
  });

  test('of blocks that ended make room for others', () => {
    const random = seededRandom(11);
    const world = new World(Array.from({ length: ROWS }, clustered(random)), DIMENSIONS);
    world.sketchAll();
    const allocated = vi.spyOn(SketchKernel.prototype, 'allocate');

    for (let seq = ROWS - 1; seq >= BLOCK_ROWS; seq -= 1) world.remove(seq);
    world.expectSame(quantized(world.vectorOf(1)));
    for (let seq = ROWS; seq < ROWS + BLOCK_ROWS; seq += 1) world.put(seq, world.vectorOf(seq % 1_000));
    world.sketchAll();
    const sizes = allocated.mock.calls.map(([bytes]) => bytes);
    allocated.mockRestore();

    world.expectSame(quantized(world.vectorOf(1)));
    expect(world.bytesOf(quantized(world.vectorOf(1)))).toBeLessThan(CODES_BYTES / 2);
    expect(Math.max(0, ...sizes)).toBeLessThan(BLOCK_ROWS * SKETCH_BYTES);
  });

  test('of former axes are read until those of new ones are made', () => {
    const random = seededRandom(16);
    const make = clustered(random);
    const world = new World(Array.from({ length: 2 * BLOCK_ROWS }, make), DIMENSIONS);
    world.sketchAll();
    for (let seq = 2 * BLOCK_ROWS; seq < 8 * BLOCK_ROWS; seq += 1) world.put(seq, make());
    const query = quantized(make());
    const before = world.expectSame(query);
    const found: number[] = [];

    for (let part = 0; world.matrix.advance(); part += 1) {
      if (part % 100 === 0) found.push(world.expectSame(query));
      // Rows of both generations change meanwhile.
      if (part % 50 === 0) world.put(Math.floor(random() * 8 * BLOCK_ROWS), make());
    }

    expect(found.length).toBeGreaterThan(20);
    expect(Math.max(...found)).toBeLessThan(1.02 * before);
    expect(world.expectSame(query)).toBeLessThan(before / 2);
  });

  test('are not needed if there is no memory for them', () => {
    const random = seededRandom(12);
    const world = new World(Array.from({ length: ROWS }, clustered(random)), DIMENSIONS);
    const allocated = vi.spyOn(SketchKernel.prototype, 'allocate').mockImplementation(() => {
      throw new RangeError('full');
    });

    world.sketchAll();
    const bytes = world.expectSame(quantized(world.vectorOf(1)));
    allocated.mockRestore();

    expect(bytes).toBe(CODES_BYTES);
  });

  test('are counted in advance from two full blocks', () => {
    expect(bytesOfSketches(2 * BLOCK_ROWS - 1, DIMENSIONS)).toBe(0);
    expect(bytesOfSketches(ROWS, DIMENSIONS)).toBe(2 * BLOCK_ROWS * SKETCH_BYTES);
    expect(bytesOfSketches(ROWS, 100)).toBe(0);
    expect([64, 520, 8_192].map(layoutFor)).toEqual([undefined, undefined, undefined]);
    expect(layoutFor(1_024)?.head).toBe(64);
  });
});

/** If it is late, it may still write bounds of the scan before. */
class LateScanner extends OwnScanner {
  /** Addresses of the pieces of all scans. */
  readonly places: number[] = [];
  isLate = false;

  override begin(pieces: Pieces): void {
    super.begin(pieces);
    this.places.push(pieces.address);
  }

  override isWriting({ address }: PiecesPlace): boolean {
    return this.isLate && this.places.at(-1) === address;
  }
}

/** The same rows with sketches and without. */
class World extends MatrixPair {
  readonly #vectors: Float32Array[];

  constructor(vectors: readonly Float32Array[], dimensions: number, sketches: SketchOptions = SURE) {
    super(new VectorMatrix(dimensions, scan, { sketches }), new VectorMatrix(dimensions, scan), K);
    this.#vectors = [...vectors];
    for (const [seq, vector] of vectors.entries()) this.put(seq, vector);
  }

  vectorOf(n: number): Float32Array {
    return this.#vectors[n]!;
  }

  put(seq: number, vector: Float32Array): void {
    this.putBoth(seq, quantized(vector));
  }

  sketchAll(): void {
    while (this.matrix.advance());
  }

  /** Removes rows, so that others move, and replaces and adds rows, some of them with a coarser step. */
  changeRandomly(random: () => number, make: () => Float32Array, changes: number): void {
    for (let change = 0; change < changes; change += 1) {
      const seq = Math.floor(random() * (ROWS + 100));
      if (change % 3 === 0) this.remove(seq);
      else this.put(seq, change % 50 === 1 ? spiky(make()) : make());
    }
  }
}

/** Returns rows and queries of real sentences. All rows have sketches. */
async function realWorld(options: SketchOptions): Promise<{ world: World; queries: QuantizedVector[] }> {
  const embedder = new LocalEmbedder({ dimensions: DIMENSIONS });
  const texts = sentences(ROWS + SEARCHES);
  // Those at the end are all about one subject.
  const isQuery = (n: number) => n % Math.floor(texts.length / SEARCHES) === 0 && n > 0;
  const [asked, stored] = [texts.filter((_, n) => isQuery(n)), texts.filter((_, n) => !isQuery(n))];
  const world = new World(await embedder.embed(stored, 'document'), DIMENSIONS, options);
  world.sketchAll();
  const queries = await embedder.embed(asked, 'query');
  return { world, queries: queries.map((query) => quantized(query)) };
}

function sum(all: readonly number[]): number {
  return all.reduce((total, each) => total + each, 0);
}

function clustered(random: () => number): () => Float32Array {
  const makers = Array.from({ length: 30 }, () => nearTo(random, randomUnit(random), 0.4));
  return () => makers[Math.floor(random() * makers.length)]!();
}

function equal(random: () => number): () => Float32Array {
  const [one, other] = [randomUnit(random), randomUnit(random)];
  return () => (random() < 0.9 ? one : other);
}

function nearTo(random: () => number, centre: Float32Array, noise: number): () => Float32Array {
  const scale = noise / Math.sqrt(centre.length);
  return () => unit(centre.map((component) => component + scale * normal(random)));
}

function randomUnit(random: () => number): Float32Array {
  return unit(Float32Array.from({ length: DIMENSIONS }, () => normal(random)));
}

/** Returns a vector with few large components, some of them in all such vectors. */
function sparse(random: () => number, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let n = 0; n < 30; n += 1) vector[Math.floor(random() ** 3 * dimensions)]! += normal(random);
  return unit(vector);
}

/** Returns a vector whose codes have a coarse step. */
function spiky(vector: Float32Array): Float32Array {
  return unit(vector.map((component, n) => (n === 3 ? component + 0.6 : component)));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((component) => component / length);
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Returns sentences of the contract and their parts. */
function sentences(count: number): string[] {
  const root = new URL('../../../../../../', import.meta.url);
  const names = ['openapi.yaml', 'conformance/requirements.yaml', ...DOCS.map((name) => `docs/${name}.md`)];
  const words = names.flatMap((name) => readFileSync(new URL(name, root), 'utf8').split(/\s+/));
  const length = 14;
  const step = Math.floor((words.length - length) / count);
  return Array.from({ length: count }, (_, n) => words.slice(n * step, n * step + length).join(' '));
}

const DOCS = [
  'search',
  'benchmarks',
  'architecture',
  'contributing',
  'mongodb',
  'embedding',
  'sdk',
  'cli',
  'mcp',
  'scale',
];
