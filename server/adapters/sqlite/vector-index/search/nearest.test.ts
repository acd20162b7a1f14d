import { expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import type { VectorQuery } from '../../../../ports/memory-reader.js';
import type { Store } from '../../../../ports/store.js';
import { anOrganization, store, unitVector } from '../../../../testing/fixtures/memories.js';
import { seededRandom } from '../../../../testing/fixtures/random-text.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { Connection } from '../../engine/connection.js';
import { openSqliteStore } from '../../store.js';

const DIMENSIONS = 128;
const ROWS = 600;

test.each([{ exact: true }, { exact: false }])(
  'a minimum similarity drops results below it and no others, and makes no search read more vectors: %o',
  async (options) => {
    const { opened, organizationId, someVector } = await openFull();
    const reads = countReads();

    for (let round = 0; round < 4; round += 1) {
      const query = { vector: someVector(), limit: 10, filter: NO_FILTER, includeDeleted: false, ...options };
      const plain = await ask(opened, organizationId, query, reads);
      const similarities = plain.found.map(({ similarity }) => similarity);
      const best = similarities[0] ?? 0;
      for (const minSimilarity of [...similarities, best + 1e-6, best + 0.01, 1]) {
        const bounded = await ask(opened, organizationId, { ...query, minSimilarity }, reads);

        expect(bounded.found).toEqual(plain.found.filter(({ similarity }) => similarity >= minSimilarity));
        expect(bounded.read).toBeLessThanOrEqual(plain.read);
      }
    }
  },
);

test.each([{ exact: true }, { exact: false }])(
  'with recency, a minimum similarity drops no result that reaches it, and makes no search read many more vectors: %o',
  async (options) => {
    const { opened, organizationId, someVector } = await openFull();
    const reads = countReads();
    const now = Date.now() * 1_000;

    for (let round = 0; round < 4; round += 1) {
      const recency = { weight: 0.2, halflifeDays: 30, now };
      const query = { vector: someVector(), limit: 10, filter: NO_FILTER, includeDeleted: false, recency, ...options };
      const plain = await ask(opened, organizationId, query, reads);
      const similarities = plain.found.map(({ similarity }) => similarity);
      for (const minSimilarity of [...similarities, Math.max(...similarities) + 1e-6, 1]) {
        const bounded = await ask(opened, organizationId, { ...query, minSimilarity }, reads);

        expect(bounded.found).toEqual(
          expect.arrayContaining(plain.found.filter(({ similarity }) => similarity >= minSimilarity)),
        );
        expect(bounded.found.filter(({ similarity }) => similarity < minSimilarity)).toEqual([]);
        expect(bounded.read).toBeLessThanOrEqual(2 * plain.read);
      }
    }
  },
);

async function ask(opened: Store, organizationId: string, query: VectorQuery, reads: () => number) {
  const before = reads();
  // A search with the same vector would read nothing again.
  const found = await opened.memories.nearest(organizationId, { ...query, vector: query.vector.slice() });
  return { found, read: reads() - before };
}

/** Opens a store whose vectors lie so close together that many are within the error of their codes. */
async function openFull() {
  const opened = await openSqliteStore({ dataDir: quickFolder() });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const organizationId = await anOrganization(opened);
  const random = seededRandom(7);
  const someVector = () =>
    unitVector(
      Array.from({ length: DIMENSIONS }, () => random() - 0.2),
      DIMENSIONS,
    );
  await store(opened, organizationId, ...Array.from({ length: ROWS }, () => ({ embedding: someVector() })));
  // The first search reads every vector into the index.
  await opened.memories.nearest(organizationId, {
    vector: someVector(),
    limit: 1,
    filter: NO_FILTER,
    includeDeleted: false,
  });
  return { opened, organizationId, someVector };
}

/** Counts the vectors that are read from the database from now on. */
function countReads(): () => number {
  const all = vi.spyOn(Connection.prototype, 'all');
  const get = vi.spyOn(Connection.prototype, 'get');
  onTestFinished(() => void vi.restoreAllMocks());
  return () =>
    [...all.mock.results, ...get.mock.results]
      .flatMap(({ value }) => value)
      .filter((row) => typeof row === 'object' && row !== null && 'embedding' in row).length;
}
