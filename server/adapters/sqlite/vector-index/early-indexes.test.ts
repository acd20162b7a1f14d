import { expect, test } from 'vitest';
import { unitVector } from '../../../testing/fixtures/memories.js';
import type { ReadAside, VectorSource } from './index-parts.js';
import type { IndexedVector } from './organization-index.js';
import { BLOCK_ROWS } from './scan/block.js';
import { quantized } from './scan/codes/quantize.js';
import { COPIED_ROWS, SEARCHES_BEFORE } from './scan/columns/matrix-columns.js';
import { type SavedMatrix, SavedMatrixBuilder } from './scan/saved-matrix.js';
import { plainScan } from './scan/scan.js';
import { ScanThreads } from './scan/threads/scan-threads.js';
import { VectorIndexes } from './vector-indexes.js';

const DIMENSIONS = unitVector([1]).length;
const VECTORS = { fingerprint: 'test|axes|8', side: 1 };
const [FIRST, SECOND, THIRD] = [1, 2, 3] as const;

test('an organization that was never searched has its index from its first write on', async () => {
  const { indexes, reads, write } = setUp();
  write(FIRST, 1);
  await indexes.lease(FIRST, false);
  const before = reads.length;

  write(FIRST, 2);
  using lease = await indexes.lease(FIRST, false);

  expect(lease?.index.active?.size).toBe(2);
  expect(reads).toHaveLength(before);
  expect(indexes.use.organizations).toBe(1);
});

test('vectors that existed before the first write are in the index too', async () => {
  const { indexes, stored, write } = setUp();
  stored.set(FIRST, [vectorOf(1), vectorOf(2)]);
  write(FIRST, 3);

  using lease = await indexes.lease(FIRST, false);

  expect(lease?.index.active?.size).toBe(3);
});

test('beyond the budget, indexes that were never searched are evicted first, and writes do not rebuild them', async () => {
  const { bytes } = await sizeOfOne();
  const { indexes, reads, write } = setUp({ budgetBytes: 2 * bytes });
  write(FIRST, 1);
  (await indexes.lease(FIRST, false))?.[Symbol.dispose]();
  write(SECOND, 2);
  await turn();
  const ofFirst = readsOf(FIRST, reads);

  write(THIRD, 3);
  await turn();
  write(THIRD, 4);
  await turn();
  (await indexes.lease(FIRST, false))?.[Symbol.dispose]();
  write(SECOND, 5);
  write(THIRD, 6);
  await turn();

  expect(readsOf(FIRST, reads)).toBe(ofFirst);
  expect(indexes.use.organizations).toBeLessThanOrEqual(2);
  expect(indexes.use.bytes).toBeLessThanOrEqual(2 * bytes);
  using lease = await indexes.lease(SECOND, false);
  expect(lease?.index.active?.size).toBe(2);
});

test('beyond the budget, columns are deleted before an index is evicted', async () => {
  const rows = BLOCK_ROWS + 1;
  const of = (org: number) => Array.from({ length: org === FIRST ? rows : 1 }, (_, n) => vectorOf(n + 1));
  const sizes = setUp();
  for (const org of [FIRST, SECOND]) await sizes.searched(org, of(org));
  const { bytes } = sizes.indexes.use;
  const { indexes, searched } = setUp({ budgetBytes: bytes });
  for (const org of [FIRST, SECOND]) await searched(org, of(org));

  const searches = SEARCHES_BEFORE + 1 + Math.ceil(rows / COPIED_ROWS);
  const largest = await searched(FIRST, [], searches);
  const first = await searched(FIRST, []);
  const both = first + (await searched(SECOND, []));

  expect(largest).toBeGreaterThan(first);
  expect(both).toBe(bytes);
  expect(indexes.use).toEqual({ bytes, organizations: 2 });
});

test('an index that cannot be built early is built by the first search', async () => {
  const { indexes, source, write } = setUp();
  const { read } = source;
  source.read = () => {
    throw new Error('the disk is gone');
  };
  write(FIRST, 1);
  await turn();
  source.read = read;

  using lease = await indexes.lease(FIRST, false);

  expect(lease?.index.active?.size).toBe(1);
});

test('indexes are built early one after the other, those of the first writes first', async () => {
  const aside = asideReads();
  const { indexes, write } = setUp({ readAside: aside.read, hasMoreThan: () => true });
  for (const org of [FIRST, SECOND, THIRD, SECOND]) write(org, org);
  await turn();
  const atOnce = [...aside.asked];
  aside.answer(FIRST);
  await turn();

  expect(atOnce).toEqual([FIRST]);
  expect(aside.asked).toEqual([FIRST, SECOND]);
  expect(indexes.use.organizations).toBe(2);
});

test('a search does not wait for an index that is built early', async () => {
  const aside = asideReads();
  const { indexes, write } = setUp({ readAside: aside.read, hasMoreThan: (org) => org === FIRST });
  write(FIRST, 1);
  write(SECOND, 2);

  using lease = await indexes.lease(SECOND, false);

  expect(lease?.index.active?.size).toBe(1);
});

test('no index is built early after the stop', async () => {
  const aside = asideReads();
  const { indexes, write } = setUp({ readAside: aside.read, hasMoreThan: () => true });
  for (const org of [FIRST, SECOND]) write(org, org);
  indexes.stop();
  write(THIRD, 3);
  aside.answer(FIRST);
  await turn();

  expect(aside.asked).toEqual([FIRST]);
});

test('changes of the time in which another thread reads the vectors are in the index', async () => {
  const aside = asideReads();
  const { indexes, stored, write } = setUp({ readAside: aside.read, hasMoreThan: () => true });
  stored.set(FIRST, [vectorOf(1), vectorOf(2), vectorOf(3)]);
  const leased = indexes.lease(FIRST, false);
  await turn();
  write(FIRST, 4);
  indexes.apply(FIRST, { kind: 'leave', seq: 1 });
  indexes.apply(FIRST, { kind: 'put', active: true, ...vectorOf(2), createdAt: 9 });
  aside.answer(FIRST, [vectorOf(1), vectorOf(2), vectorOf(3)]);

  using lease = await leased;

  const { query, k } = { query: vectorOf(1).quantized, k: 9 };
  const { candidates = [] } = (await lease?.index.active?.search({ query, k })) ?? {};
  const times = candidates.map(({ seq, createdAt }) => [seq, createdAt]);
  expect(times.sort()).toEqual([
    [2, 9],
    [3, 3],
    [4, 4],
  ]);
});

test('an index that another thread cannot read is read in the main thread', async () => {
  const { indexes, write } = setUp({ readAside: async () => undefined, hasMoreThan: () => true });
  write(FIRST, 1);

  using lease = await indexes.lease(FIRST, false);

  expect(lease?.index.active?.size).toBe(1);
});

/** Reads in another thread, which a test answers. */
function asideReads() {
  const asked: number[] = [];
  const answers = new Map<number, (matrix: SavedMatrix | undefined) => void>();
  return {
    asked,
    read: async (org: number) => {
      asked.push(org);
      const matrix = await new Promise<SavedMatrix | undefined>((resolve) => answers.set(org, resolve));
      return matrix && { dimensions: DIMENSIONS, matrix };
    },
    answer: (org: number, vectors: readonly IndexedVector[] = []) => {
      const builder = new SavedMatrixBuilder(DIMENSIONS);
      for (const { seq, createdAt, quantized: vector } of vectors) builder.put({ seq, createdAt }, vector);
      answers.get(org)?.(builder.matrix);
    },
  };
}

function readsOf(org: number, reads: readonly number[]): number {
  return reads.filter((each) => each === org).length;
}

async function sizeOfOne(): Promise<{ bytes: number }> {
  const { indexes, write } = setUp();
  write(FIRST, 1);
  (await indexes.lease(FIRST, false))?.[Symbol.dispose]();
  return indexes.use;
}

interface Options {
  budgetBytes?: number;
  readAside?: ReadAside;
  hasMoreThan?: (org: number) => boolean;
}

function setUp({ budgetBytes, readAside, hasMoreThan = () => false }: Options = {}) {
  const stored = new Map<number, IndexedVector[]>();
  const reads: number[] = [];
  const source: VectorSource = {
    searched: () => VECTORS,
    pending: () => undefined,
    hasMoreThan,
    read(org, _vectors, active, createdAfter) {
      reads.push(org);
      return (stored.get(org) ?? []).filter(({ createdAt }) => active && createdAt > createdAfter);
    },
    changes: () => [],
  };
  const indexes = new VectorIndexes(
    source,
    { scan: plainScan, threads: new ScanThreads() },
    { budgetBytes, readAside },
  );
  const write = (org: number, seq: number) => {
    stored.set(org, [...(stored.get(org) ?? []), vectorOf(seq)]);
    indexes.apply(org, { kind: 'put', active: true, ...vectorOf(seq) });
  };
  const searched = async (org: number, vectors: readonly IndexedVector[], searches = 1) => {
    if (vectors.length > 0) stored.set(org, [...vectors]);
    const query = vectorOf(1).quantized;
    using lease = await indexes.lease(org, false);
    for (let search = 0; search < searches; search += 1) await lease?.index.active?.search({ query, k: 1 });
    return lease?.index.bytes ?? 0;
  };
  return { indexes, source, stored, reads, write, searched };
}

function vectorOf(seq: number): IndexedVector {
  return { seq, createdAt: seq, quantized: quantized(unitVector([1, seq, 2])) };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
