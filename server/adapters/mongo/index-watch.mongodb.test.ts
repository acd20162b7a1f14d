import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import type { Memory } from '../../domain/memory/memory.js';
import { SearchUnavailableError } from '../../ports/store-errors.js';
import { atCosine, DIMENSIONS, NORTH, softDelete, store } from '../../testing/fixtures/memories.js';
import { seededRandom } from '../../testing/fixtures/random-text.js';
import {
  disturb,
  type LaggingStore,
  MINUTE_MS,
  openLagging,
  ROUNDS,
  SECOND_MS,
  SEED,
  unlessRefused,
  wait,
} from '../../testing/mongodb/lagging-store.js';
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { vectorIndexDefinition } from './engine/schema.js';
import { MARGIN_MS } from './index-watch.js';
import { type MongoStoreOptions, setUpMongoStore } from './store.js';

const QUERY = { filter: NO_FILTER, includeDeleted: false, vector: NORTH, limit: 3 };
const databases = new MongoDatabases(DIMENSIONS);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a search index that lags behind', () => {
  test('answers for the memories that it includes, and only later ones are compared', async () => {
    const { tested, watch, lag, organizationId } = await open();
    const old = await store(tested, organizationId, ...vectors(20));
    await watch.beat();
    wait(10 * MINUTE_MS);
    await watch.beat();
    lag.includeUntil(new Date());
    wait(MINUTE_MS);
    const [late] = await store(tested, organizationId, { embedding: atCosine(0.99) });

    const found = await tested.memories.nearest(organizationId, QUERY);
    const view = await watch.view('memories_d8');

    expect(ids(found)).toEqual([late, old[19], old[18]].map((memory) => memory?.id));
    expect(view?.settledBefore.getTime()).toBe(Date.now() - MINUTE_MS - MARGIN_MS);
  });

  test('makes the compared window grow and shrink', async () => {
    const { watch, lag } = await open();
    const windows: number[] = [];
    const measure = async () => {
      await watch.beat();
      const { settledBefore } = (await watch.view('memories_d8')) ?? { settledBefore: new Date(0) };
      windows.push(Date.now() - settledBefore.getTime() - MARGIN_MS);
    };

    await measure();
    lag.includeUntil(new Date());
    wait(5 * MINUTE_MS);
    await measure();
    lag.includeUntil(new Date());
    await measure();

    expect(windows).toEqual([0, 5 * MINUTE_MS, 0]);
    expect(watch.states()).toContainEqual({ name: 'memories_d8', isQueryable: true, lagMs: 0 });
  });

  test('refuses searches that would compare too many memories', async () => {
    const { tested, watch, lag, organizationId } = await open({ maxCompared: 15 });
    await watch.beat();
    lag.includeUntil(new Date());
    wait(5 * MINUTE_MS);
    await store(tested, organizationId, ...vectors(20));
    await watch.beat();

    const refused = tested.memories.nearest(organizationId, QUERY);

    await expect(refused).rejects.toThrow(SearchUnavailableError);
    expect(await tested.probe()).toContain('memories_d8 is 300 s behind');
    lag.includeUntil(new Date());
    wait(MARGIN_MS + SECOND_MS);
    await watch.beat();
    lag.includeUntil(new Date());
    await watch.beat();
    expect(await tested.memories.nearest(organizationId, QUERY)).toHaveLength(3);
    expect(await tested.probe()).toBeUndefined();
  });
});

describe('a search index that was dropped', () => {
  test.each(['drop', 'refuse'] as const)('is not trusted in the next search: %s', async (how) => {
    const { tested, watch, lag, organizationId } = await open();
    const stored = await store(tested, organizationId, ...vectors(20));
    wait(10 * MINUTE_MS);
    await watch.beat();
    expect((await watch.view('memories_d8'))?.settledBefore.getTime()).toBe(Date.now() - MARGIN_MS);

    lag[how]();
    const found = await tested.memories.nearest(organizationId, QUERY);

    expect(ids(found)).toEqual([stored[19], stored[18], stored[17]].map((memory) => memory?.id));
  });

  test('makes searches of many memories fail until it is built again', async () => {
    const { tested, watch, lag, organizationId } = await open({ maxCompared: 15 });
    const stored = await store(tested, organizationId, ...vectors(20));
    wait(10 * MINUTE_MS);
    await watch.beat();

    lag.drop();
    await expect(tested.memories.nearest(organizationId, QUERY)).rejects.toThrow(SearchUnavailableError);
    lag.restore();
    await watch.beat();

    expect(ids(await tested.memories.nearest(organizationId, QUERY))).toEqual(
      [stored[19], stored[18], stored[17]].map((memory) => memory?.id),
    );
  });
});

test('an index of reduced vectors gives candidates, which are compared by their stored vectors', async () => {
  const uri = databases.fresh();
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  const memories = await client.db().createCollection('memories');
  const definition = vectorIndexDefinition(DIMENSIONS);
  const [vector, ...filters] = definition.fields;
  const fields = [{ ...vector, quantization: 'scalar' }, ...filters];
  await memories.createSearchIndex({ name: 'memories_d8', type: 'vectorSearch', definition: { fields } });
  await setUpMongoStore({ uri, dimensions: DIMENSIONS });
  const { tested, watch, lag, organizationId } = await open({ uri });
  const stored = await store(tested, organizationId, ...vectors(20));
  wait(10 * MINUTE_MS);
  await watch.beat();
  lag.coarsen();

  const found = await tested.memories.nearest(organizationId, { ...QUERY, limit: 20, minSimilarity: 0.8 });

  expect(found.map(({ similarity }) => similarity.toFixed(4))).toEqual([19, 18, 17].map((n) => (n / 21).toFixed(4)));
  expect(ids(found)).toEqual([stored[19], stored[18], stored[17]].map((memory) => memory?.id));
});

test('a graph whose links reach too few memories does not leave out the others', async () => {
  const { tested, watch, lag, organizationId } = await open();
  const stored = await store(tested, organizationId, ...vectors(20));
  wait(10 * MINUTE_MS);
  await watch.beat();
  lag.unlinkSince(stored[5]?.createdAt ?? 0);

  const found = await tested.memories.nearest(organizationId, QUERY);

  expect(ids(found)).toEqual([stored[19], stored[18], stored[17]].map((memory) => memory?.id));
});

test('every search has every acknowledged memory or is refused, under random lags, pauses and drops', async () => {
  const opened = await open({ maxCompared: 60 });
  const random = seededRandom(SEED);
  const model = new Map<string, { memory: Memory; cosine: number }>();
  const answered = { fully: 0, not: 0 };

  for (let round = 0; round < ROUNDS; round += 1) {
    await writeAtRandom(opened, model, random);
    await disturb(opened, random);

    const best = [...model.values()].sort((one, other) => other.cosine - one.cosine).slice(0, QUERY.limit);
    const found = await unlessRefused(opened.tested.memories.nearest(opened.organizationId, QUERY));
    if (found) expect(ids(found)).toEqual(best.map(({ memory }) => memory.id));
    answered[found ? 'fully' : 'not'] += 1;
  }

  expect(answered.fully).toBeGreaterThan(ROUNDS / 4);
  expect(answered.not).toBeGreaterThan(0);
});

/** Inserts some memories, and maybe deletes one. */
async function writeAtRandom(
  { tested, organizationId }: LaggingStore,
  model: Map<string, { memory: Memory; cosine: number }>,
  random: () => number,
): Promise<void> {
  const given = Array.from({ length: 1 + Math.floor(random() * 5) }, () => random());
  const added = await store(tested, organizationId, ...given.map((cosine) => ({ embedding: atCosine(cosine) })));
  for (const [at, memory] of added.entries()) model.set(memory.id, { memory, cosine: given[at] ?? 0 });
  const victim = [...model.values()][Math.floor(random() * model.size)];
  if (!victim || random() < 0.7) return;
  await softDelete(tested, victim.memory);
  model.delete(victim.memory.id);
}

async function open({ uri, ...options }: Partial<MongoStoreOptions> = {}): Promise<LaggingStore> {
  return openLagging(uri ?? (await databases.acquire()), { exactRows: 5, ...options });
}

function vectors(count: number): { embedding: Float32Array }[] {
  return Array.from({ length: count }, (_, n) => ({ embedding: atCosine(n / (count + 1)) }));
}

function ids(found: readonly { memory: Memory }[]): string[] {
  return found.map(({ memory }) => memory.id);
}
