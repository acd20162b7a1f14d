import { describe, expect, test, vi } from 'vitest';
import { MatrixPair } from '../../../../../testing/embedded/matrix-pair.js';
import { seededRandom } from '../../../../../testing/fixtures/random-text.js';
import { Kernel } from '../../../../wasm/kernel.js';
import { BLOCK_ROWS, type RowChunk } from '../block.js';
import type { Quantized } from '../codes/quantize.js';
import { VectorMatrix } from '../matrix.js';
import { loadScan } from '../scan.js';
import { newColumnKernel } from './column-kernel.js';
import { COPIED_ROWS, type ColumnOptions, SEARCHES_BEFORE } from './matrix-columns.js';

const DIMENSIONS = 48;
const ROWS = 2 * BLOCK_ROWS + 203;
/** Searches that create the kernel and copy all rows. */
const COPYING = 1 + Math.ceil(ROWS / COPIED_ROWS);
const K = 20;
const scan = loadScan();
const OPTIONS = { newKernel: newColumnKernel, maxRows: 3 * BLOCK_ROWS };

describe('a search with columns', () => {
  test.each([
    ['any', anyCode],
    ['extreme', (random: () => number) => (random() < 0.5 ? -127 : 127)],
    ['equal', () => 5],
    ['sparse', (random: () => number) => (random() < 0.2 ? anyCode(random) : 0)],
  ])('finds what a scan finds, for %s codes', (_, code) => {
    const random = seededRandom(3);
    const world = new World(ROWS, () => codesOf(random, code));
    world.prepare();
    const queries = Array.from({ length: 12 }, () => sparse(random, code));

    for (const query of queries) world.expectSame(query);
    const changeAndSearch = () =>
      queries.map((query) => {
        world.changeRandomly(random, () => codesOf(random, code));
        return world.expectSame(query);
      });
    const changed = [...changeAndSearch(), ...changeAndSearch(), ...changeAndSearch()];
    world.put(ROWS + 200, codesOf(random, code), 1);
    for (const query of queries) world.expectSame(query);
    for (let seq = 0; seq < ROWS; seq += 100) world.put(seq, codesOf(random, code), 1);
    for (const query of queries) world.expectSame(query);
    world.prepare();
    const coarser = changeAndSearch();

    for (const bytes of [...changed, ...coarser]) expect(bytes).toBeLessThan((DIMENSIONS * ROWS) / 2);
  });

  test('reads the dimensions in which the query is not 0', () => {
    const random = seededRandom(4);
    const world = new World(ROWS, () => codesOf(random, anyCode));
    world.prepare();

    expect(world.bytesOf(withNonzero(7))).toBe(7 * ROWS);
    expect(world.bytesOf(withNonzero(24))).toBe(24 * ROWS);
    expect(world.bytesOf(withNonzero(7), { exact: true })).toBe(7 * ROWS);
  });

  test('compares rows if the query is 0 in few dimensions or in all, and for many candidates', () => {
    const random = seededRandom(5);
    const world = new World(ROWS, () => codesOf(random, anyCode));
    world.prepare();

    expect(world.bytesOf(withNonzero(25))).toBe(DIMENSIONS * ROWS);
    expect(world.bytesOf(withNonzero(0))).toBe(DIMENSIONS * ROWS);
    expect(world.bytesOf(withNonzero(7), { k: Math.ceil(ROWS / 30) })).toBe(DIMENSIONS * ROWS);
  });

  test('finds as many rows as wanted after better rows at the end were removed', () => {
    const first = (code: number) => Int8Array.from({ length: DIMENSIONS }, (_, at) => (at === 0 ? code : 0));
    const world = new World(BLOCK_ROWS, () => first(0));
    const rows = BLOCK_ROWS + 16 * K + 5;
    // In the last block, each 16 rows have one of the best, but not the last five.
    for (let seq = BLOCK_ROWS; seq < rows; seq += 1) {
      world.put(seq, first(seq % 16 === 0 && seq < rows - 5 ? 100 - (seq - BLOCK_ROWS) / 16 : 0));
    }
    for (let seq = rows; seq < rows + 5; seq += 1) world.put(seq, first(127));
    world.prepare();
    for (let seq = rows; seq < rows + 5; seq += 1) world.remove(seq);

    expect(world.expectSame({ codes: first(1), step: 0.25 })).toBe(rows);
  });

  test('finds rows of blocks that were appended whole, and of a last block with few rows', () => {
    const random = seededRandom(6);
    const world = new World(BLOCK_ROWS, () => codesOf(random, anyCode));
    world.append(BLOCK_ROWS, 1, BLOCK_ROWS, () => codesOf(random, anyCode));
    world.append(2 * BLOCK_ROWS, 0.5, 5, () => codesOf(random, anyCode));
    world.prepare();

    for (let search = 0; search < 10; search += 1) world.expectSame(sparse(random, anyCode));
    expect(world.bytesOf(withNonzero(7))).toBe(7 * (2 * BLOCK_ROWS + 5));
  });
});

describe('columns', () => {
  test('are made after many searches only, some rows at a time', () => {
    const random = seededRandom(7);
    const world = new World(ROWS, () => codesOf(random, anyCode));
    const query = withNonzero(7);
    const bytesOfSearches = (searches: number) => Array.from({ length: searches }, () => world.bytesOf(query));

    expect(new Set(bytesOfSearches(SEARCHES_BEFORE))).toEqual(new Set([DIMENSIONS * ROWS]));
    expect(world.matrix.bytes).toBe(world.plain.bytes);
    expect(new Set(bytesOfSearches(COPYING - 1))).toEqual(new Set([DIMENSIONS * ROWS]));
    expect(world.matrix.bytes).toBe(world.plain.bytes + 3 * BLOCK_ROWS * DIMENSIONS);
    expect(world.bytesOf(query)).toBe(7 * ROWS);
  });

  test('are not made for few rows, for too many, or for queries that are 0 in few dimensions', () => {
    const random = seededRandom(8);
    const few = new World(BLOCK_ROWS - 1, () => codesOf(random, anyCode));
    const many = new World(ROWS, () => codesOf(random, anyCode), { ...OPTIONS, maxRows: ROWS - 1 });
    const dense = new World(ROWS, () => codesOf(random, anyCode));

    few.prepare();
    many.prepare();
    dense.prepare(withNonzero(30));

    for (const { matrix, plain } of [few, many, dense]) expect(matrix.bytes).toBe(plain.bytes);
  });

  test('are deleted when there are too many rows, or on request, and made again later', () => {
    const random = seededRandom(9);
    const world = new World(ROWS, () => codesOf(random, anyCode), { ...OPTIONS, maxRows: ROWS });
    world.prepare();

    world.put(ROWS, codesOf(random, anyCode));
    const beyond = world.expectSame(withNonzero(7));
    const bytesBeyond = world.matrix.bytes - world.plain.bytes;
    world.remove(ROWS);
    const again = world.bytesOf(withNonzero(7));
    world.prepare();
    const later = world.bytesOf(withNonzero(7));
    world.matrix.releaseColumns();

    expect([beyond, bytesBeyond, again]).toEqual([DIMENSIONS * (ROWS + 1), 0, DIMENSIONS * ROWS]);
    expect(later).toBe(7 * ROWS);
    expect(world.matrix.bytes).toBe(world.plain.bytes);
    world.expectSame(withNonzero(7));
  });

  test('are not read until more rows than one search copies have been copied again', () => {
    const random = seededRandom(10);
    const world = new World(ROWS, () => codesOf(random, anyCode));
    world.prepare();

    for (let seq = 0; seq <= 2 * COPIED_ROWS; seq += 1) world.put(3 * seq, codesOf(random, anyCode));
    const bytes = [1, 2, 3].map(() => world.expectSame(withNonzero(7)));

    expect(bytes).toEqual([DIMENSIONS * ROWS, DIMENSIONS * ROWS, 7 * ROWS]);
  });

  test('are not needed if the platform has no kernel, or no memory for them', () => {
    const random = seededRandom(11);
    const without = new World(ROWS, () => codesOf(random, anyCode), { ...OPTIONS, newKernel: () => undefined });
    const full = new World(ROWS, () => codesOf(random, anyCode));
    const allocated = vi.spyOn(Kernel.prototype, 'allocate').mockImplementation(() => {
      throw new RangeError('full');
    });

    without.prepare();
    full.prepare();
    const attempts = allocated.mock.calls.length;
    allocated.mockRestore();

    for (const world of [without, full]) expect(world.expectSame(withNonzero(7))).toBe(DIMENSIONS * ROWS);
    expect(attempts).toBe(1);
  });
});

/** The same rows with columns and without. */
class World extends MatrixPair {
  constructor(rows: number, make: () => Int8Array, columns: ColumnOptions = OPTIONS) {
    super(new VectorMatrix(DIMENSIONS, scan, { columns }), new VectorMatrix(DIMENSIONS, scan), K);
    for (let seq = 0; seq < rows; seq += 1) this.put(seq, make());
  }

  put(seq: number, codes: Int8Array, step = 0.5): void {
    this.putBoth(seq, { codes, step });
  }

  append(first: number, step: number, rows: number, make: () => Int8Array): void {
    for (const [n, matrix] of [this.matrix, this.plain].entries()) {
      const seqs = Float64Array.from({ length: rows }, (_, row) => first + row);
      this.#appended ??= { seqs, createdAts: seqs.slice(), codes: joined(rows, make), step };
      matrix.append(structuredClone(this.#appended));
      if (n === 1) this.#appended = undefined;
    }
  }

  #appended: RowChunk | undefined;

  /** Searches until all rows are copied. */
  prepare(query = withNonzero(5)): void {
    for (let search = 0; search < SEARCHES_BEFORE + COPYING; search += 1) this.matrix.search({ query, k: 1 });
  }

  /** Removes rows, so that others move, and replaces and adds rows. */
  changeRandomly(random: () => number, make: () => Int8Array): void {
    for (let change = 0; change < 50; change += 1) {
      const seq = Math.floor(random() * (ROWS + 100));
      if (change % 3 === 0) this.remove(seq);
      else this.put(seq, make());
    }
  }
}

function anyCode(random: () => number): number {
  return Math.floor(random() * 255) - 127;
}

function codesOf(random: () => number, code: (random: () => number) => number): Int8Array {
  return Int8Array.from({ length: DIMENSIONS }, () => code(random));
}

function joined(rows: number, make: () => Int8Array): Int8Array {
  const codes = new Int8Array(rows * DIMENSIONS);
  for (let row = 0; row < rows; row += 1) codes.set(make(), row * DIMENSIONS);
  return codes;
}

/** Returns a query that is 0 in more than half of the dimensions. */
function sparse(random: () => number, code: (random: () => number) => number): Quantized {
  const start = Math.floor(random() * DIMENSIONS);
  const codes = Int8Array.from({ length: DIMENSIONS }, (_, at) => ((at + start) % 5 < 2 ? code(random) : 0));
  codes[start] = 1;
  return { codes, step: 0.25 };
}

/** Returns a query that is not 0 in this number of dimensions. */
function withNonzero(count: number): Quantized {
  const codes = Int8Array.from({ length: DIMENSIONS }, (_, at) => ((at * 5) % DIMENSIONS < count ? 100 - 3 * at : 0));
  return { codes, step: 0.25 };
}
