import { expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import { anOrganization, change, store, unitVector } from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { openSqliteStore } from '../../store.js';
import { SpreadMatrix } from '../scan/spread-matrix.js';

const DIMENSIONS = 16;
const CODE_BYTES = DIMENSIONS;
const VECTOR_BYTES = DIMENSIONS * Float32Array.BYTES_PER_ELEMENT;

const QUERY = {
  vector: unitVector([1], DIMENSIONS),
  limit: 2,
  filter: NO_FILTER,
  includeDeleted: false,
};

async function openFull(rows: number) {
  const opened = await openSqliteStore({ dataDir: quickFolder() });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const organizationId = await anOrganization(opened);
  const memories = Array.from({ length: rows }, (_, row) => ({
    embedding: unitVector([1, row], DIMENSIONS),
    metadata: { kind: row < 3 ? 'rare' : 'note' },
  }));
  await store(opened, organizationId, ...memories);
  return { opened, organizationId };
}

test('a search adds one byte a component of every memory, and the stored vectors of its candidates', async () => {
  const { opened, organizationId } = await openFull(100);

  await opened.memories.nearest(organizationId, QUERY);
  const one = opened.vectorSearches();
  await opened.memories.nearest(organizationId, { ...QUERY, vector: QUERY.vector.slice() });
  const two = opened.vectorSearches();

  expect(one).toMatchObject({ searches: 1, bytes: 100 * CODE_BYTES + one.candidates * VECTOR_BYTES });
  expect(one.candidates).toBeGreaterThanOrEqual(QUERY.limit);
  expect(one.candidates).toBeLessThan(100);
  expect(two).toMatchObject({ searches: 2, bytes: 2 * one.bytes, candidates: 2 * one.candidates });
  expect(two.durationMs).toBeGreaterThanOrEqual(one.durationMs);
});

test('a search with the vector of another reads no stored vector again until a memory changes', async () => {
  const { opened, organizationId } = await openFull(100);
  const candidatesOf = async (vector: Float32Array) => {
    const before = opened.vectorSearches().candidates;
    const found = await opened.memories.nearest(organizationId, { ...QUERY, vector });
    return { found, candidates: opened.vectorSearches().candidates - before };
  };
  const first = await candidatesOf(QUERY.vector);

  const again = await candidatesOf(QUERY.vector);
  await change(opened, first.found[0]!.memory, { content: 'another' }, unitVector([0, 0, 1], DIMENSIONS));
  const changed = await candidatesOf(QUERY.vector);

  expect(again).toEqual({ found: first.found, candidates: 0 });
  expect(changed).toEqual(await candidatesOf(QUERY.vector.slice()));
  expect(changed.found).not.toEqual(first.found);
});

test('a search with a selective filter adds the memories that match', async () => {
  const { opened, organizationId } = await openFull(100);
  const filter = { metadata: [{ key: 'kind', anyOf: ['rare'] }] };

  await opened.memories.nearest(organizationId, { ...QUERY, filter });

  const { bytes, candidates } = opened.vectorSearches();
  expect(bytes).toBe(3 * CODE_BYTES + candidates * VECTOR_BYTES);
});

test('only an exact search asks threads to compare every memory', async () => {
  const { opened, organizationId } = await openFull(3);
  const searched = vi.spyOn(SpreadMatrix.prototype, 'search');
  onTestFinished(() => searched.mockRestore());

  await opened.memories.nearest(organizationId, QUERY);
  await opened.memories.nearest(organizationId, { ...QUERY, exact: true });

  expect(searched.mock.calls.map(([{ exact }]) => exact)).toEqual([false, true]);
});

test('a search that fails is counted', async () => {
  const { opened, organizationId } = await openFull(1);

  const search = opened.memories.nearest(organizationId, { ...QUERY, vector: unitVector([1], 8) });

  await expect(search).rejects.toThrow(/dimensions/);
  expect(opened.vectorSearches()).toMatchObject({ searches: 1, candidates: 0 });
});
