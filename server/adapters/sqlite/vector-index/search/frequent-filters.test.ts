import { expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../../domain/filter/filter.js';
import { anOrganization, atCosine, NORTH, softDelete, store } from '../../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../../testing/processes/quick-folder.js';
import { openSqliteStore } from '../../store.js';
import { FrequentFilters } from './frequent-filters.js';
import { neededOf, planVectors } from './plan.js';

const NOTES = { filter: { metadata: [{ key: 'kind', anyOf: ['note'] }] }, includeDeleted: false };
const OTHERS = { filter: { metadata: [{ key: 'kind', anyOf: ['other'] }] }, includeDeleted: false };

test('a filter is remembered for 64 searches, apart from other filters and states', () => {
  const filters = new FrequentFilters();
  const added = filters.add(NOTES);

  const known = Array.from({ length: 65 }, () => filters.use(NOTES));

  expect(known).toEqual([...Array(64).fill(added), undefined]);
  filters.add(NOTES);
  expect([filters.use(OTHERS), filters.use({ ...NOTES, includeDeleted: true })]).toEqual([undefined, undefined]);
});

test('the candidates of a search depend on how many of those before matched', () => {
  const filter = new FrequentFilters().add(NOTES);
  const candidates = () => planVectors(1_000, { atMost: 900, share: filter.share }, 40);
  const needed = () => neededOf({ rows: 10, within: 0.1 }, filter.share);

  filter.learn(30, 30);
  const early = [candidates(), needed()];
  filter.learn(10, 10);
  const all = [candidates(), needed()];
  filter.learn(40, 0);
  const half = [candidates(), needed()];
  filter.learn(920, 0);

  expect(early).toEqual([{ kind: 'overscan', candidates: 120 }, undefined]);
  expect(all).toEqual([
    { kind: 'overscan', candidates: 50 },
    { rows: 15, within: 0.1 },
  ]);
  expect(half).toEqual([
    { kind: 'overscan', candidates: 100 },
    { rows: 30, within: 0.1 },
  ]);
  expect(candidates()).toEqual({ kind: 'overscan', candidates: 300 });
});

test('callers who send ever new filters do not fill the memory', () => {
  const filters = new FrequentFilters();
  filters.add(NOTES);

  for (let n = 0; n < 64; n += 1)
    filters.add({ filter: { metadata: [{ key: 'n', anyOf: [n] }] }, includeDeleted: false });

  expect(filters.use(NOTES)).toBeUndefined();
});

test('a search finds the few rows of a filter that matched many a moment ago', async () => {
  const opened = await openSqliteStore({ dataDir: quickFolder() });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const organizationId = await anOrganization(opened);
  const given = Array.from({ length: 400 }, (_, n) => ({
    embedding: atCosine(0.9 - n / 1_000),
    metadata: { kind: n % 2 === 0 ? 'note' : 'other' },
  }));
  const memories = await store(opened, organizationId, ...given);
  const ask = () => opened.memories.nearest(organizationId, { ...NOTES, vector: NORTH, limit: 3 });
  const [first, , , ...later] = memories.filter((_, n) => n % 2 === 0);

  const before = await ask();
  for (let search = 0; search < 4; search += 1) await ask();
  for (const memory of later) if (memory !== later.at(-1)) await softDelete(opened, memory);
  const after = await opened.memories.nearest(organizationId, { ...NOTES, vector: NORTH, limit: 10 });

  expect(before[0]?.memory.id).toBe(first?.id);
  expect(after.map(({ memory }) => memory.id)).toEqual(
    [memories[0], memories[2], memories[4], later.at(-1)].map((each) => each?.id),
  );
  expect(
    await opened.memories.nearest(organizationId, { ...NOTES, filter: NO_FILTER, vector: NORTH, limit: 1 }),
  ).toHaveLength(1);
});
