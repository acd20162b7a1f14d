import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { anOrganization, FINGERPRINT, softDelete, store, unitVector } from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { Connection } from '../../engine/connection.js';
import { openSqliteStore } from '../../store.js';
import type { StoredIndex } from '../index-parts.js';
import { quantized } from '../scan/codes/quantize.js';
import { VectorMatrix } from '../scan/matrix.js';
import { plainScan } from '../scan/scan.js';
import { dotProduct } from '../vectors.js';
import { DatabaseReader } from './database-reader.js';

const EVERY_READ = () => false;

test('an index from the database has the active memories of the organization', async () => {
  const { order, memories, opened, others } = await stored(1_100);
  await softDelete(opened, memories[1_000]!);
  using reader = new DatabaseReader();

  const index = await reader.readAll(order, EVERY_READ);

  const query = { query: quantized(vectorOf(0)), k: 5_000 };
  const found = matrixOf(index).searchAll([query])[0]?.candidates ?? [];
  expect(found).toHaveLength(1_099);
  for (const { seq, similarity } of found)
    expect(Math.abs(similarity - dotProduct(vectorOf(seq - 1), vectorOf(0)))).toBeLessThan(0.02);
  const seqs = new Set(found.map(({ seq }) => seq));
  expect([1_001, 1_100 + others.length].map((seq) => seqs.has(seq))).toEqual([false, false]);
});

test('a read of the database can be ended, and an organization without vectors has no index', async () => {
  const { order } = await stored(1_100);
  using reader = new DatabaseReader();
  let reads = 0;
  const afterOne = () => {
    reads += 1;
    return reads > 1;
  };

  expect(await reader.readAll(order, afterOne)).toBeUndefined();
  expect(reads).toBe(2);
  expect(await reader.readAll({ ...order, org: 99 }, EVERY_READ)).toBeUndefined();
});

test('the log of the database can restart between two reads', async () => {
  const { order } = await stored(1_100);
  const writer = new Connection(order.database);
  onTestFinished(() => writer.close());
  using reader = new DatabaseReader();
  const busy: unknown[] = [];
  const restart = () => {
    writer.exec('UPDATE organizations SET clock = clock + 1');
    busy.push(writer.get<{ busy: number }>('PRAGMA wal_checkpoint(RESTART)')?.busy);
    return false;
  };

  await reader.readAll(order, restart);

  expect(busy.length).toBeGreaterThan(1);
  expect(new Set(busy)).toEqual(new Set([0]));
});

/** Stores memories in one organization, and some in another one. */
async function stored(count: number) {
  const dataDir = quickFolder();
  const opened = await openSqliteStore({ dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const [first, second] = [await anOrganization(opened), await anOrganization(opened)];
  const given = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({ embedding: vectorOf(from + n) }));
  const memories = await store(opened, first, ...given(0, count));
  const others = await store(opened, second, ...given(count, count + 5));
  const order = { database: join(dataDir, 'memory.db'), org: 1, vectors: { fingerprint: FINGERPRINT, side: 1 } };
  return { memories, others, opened, order };
}

/** Returns a vector with many components, different for each number, and of different sizes of the largest one. */
function vectorOf(n: number): Float32Array {
  return unitVector(Array.from({ length: 8 }, (_, axis) => Math.sin((n + 1) * (axis + 1)) ** (1 + (n % 3))));
}

function matrixOf(index: StoredIndex | undefined): VectorMatrix {
  if (!index) throw new Error('there is no index');
  return new VectorMatrix(index.dimensions, plainScan, { contents: index.matrix.contents });
}
