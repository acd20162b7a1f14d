import { expect, test } from 'vitest';
import { unitVector } from '../../../testing/fixtures/memories.js';
import type { VectorSource } from './index-parts.js';
import type { IndexedVector } from './organization-index.js';
import { BLOCK_ROWS } from './scan/block.js';
import { COPIED_ROWS, SEARCHES_BEFORE } from './scan/columns/matrix-columns.js';
import { quantized } from './scan/quantize.js';
import { plainScan } from './scan/scan.js';
import { ScanThreads } from './scan/threads/scan-threads.js';
import { VectorIndexes } from './vector-indexes.js';

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
  const { indexes, reads, write } = setUp(2 * bytes);
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
  const { indexes, searched } = setUp(bytes);
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

function readsOf(org: number, reads: readonly number[]): number {
  return reads.filter((each) => each === org).length;
}

async function sizeOfOne(): Promise<{ bytes: number }> {
  const { indexes, write } = setUp();
  write(FIRST, 1);
  (await indexes.lease(FIRST, false))?.[Symbol.dispose]();
  return indexes.use;
}

function setUp(budgetBytes?: number) {
  const stored = new Map<number, IndexedVector[]>();
  const reads: number[] = [];
  const source: VectorSource = {
    searched: () => VECTORS,
    pending: () => undefined,
    read(org, _vectors, active, createdAfter) {
      reads.push(org);
      return (stored.get(org) ?? []).filter(({ createdAt }) => active && createdAt > createdAfter);
    },
    changes: () => [],
  };
  const indexes = new VectorIndexes(source, { scan: plainScan, threads: new ScanThreads() }, { budgetBytes });
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
