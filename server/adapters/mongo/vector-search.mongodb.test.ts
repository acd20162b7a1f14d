import { AggregationCursor, Binary, Collection, type Filter, MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../domain/filter.js';
import type { Memory } from '../../domain/memory.js';
import {
  anOrganization,
  atCosine,
  change,
  DIMENSIONS,
  FINGERPRINT,
  type Given,
  insertInto,
  NORTH,
  softDelete,
  store,
  unitVector,
} from '../../testing/memories.js';
import { MongoDatabases } from '../../testing/mongo-databases.js';
import type { MemoryDocument } from './collections.js';
import { vectorIndexName } from './schema.js';
import { type MongoStoreOptions, openMongoStore } from './store.js';
import { MOST_CANDIDATES } from './vector-search.js';
import { fieldOf } from './vectors.js';

const DAY = 86_400_000_000;
/** The most that a search index is given to learn of a write. */
const INDEX_LAG_MS = 120_000;
const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };
const databases = new MongoDatabases(DIMENSIONS);

describe('a search whose index lags behind', () => {
  test('finds what was written lately beside what the index has', async () => {
    const { tested, age } = await open();
    const organizationId = await anOrganization(tested);
    const given = Array.from({ length: 12 }, (_, n) => ({ embedding: atCosine(0.5 + n / 100) }));
    const settled = await store(tested, organizationId, ...given);
    await age(settled.map(({ id }) => id));
    const [added] = await store(tested, organizationId, { embedding: atCosine(0.605) });

    const found = await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 3 });

    expect(found.map(({ memory }) => memory)).toEqual([settled[11], added, settled[10]]);
  });

  test('gives no memory by a state that it no longer has', async () => {
    const { tested, age } = await open();
    const organizationId = await anOrganization(tested);
    const given = Array.from({ length: 4 }, (_, n) => ({ embedding: atCosine(0.9 - n / 10), metadata: { kind: 'a' } }));
    const [moved, refiled, deleted, kept] = await store(tested, organizationId, ...given);
    await age([moved!.id, refiled!.id, deleted!.id, kept!.id]);
    const movedAway = await change(tested, moved!, { content: 'elsewhere' }, atCosine(0.1));
    await change(tested, refiled!, { metadata: { kind: 'b' } });
    await softDelete(tested, deleted!);

    const filter = { metadata: [{ key: 'kind', anyOf: ['a'] }] };
    const query = { filter, includeDeleted: false, vector: NORTH, limit: 4 };
    const found = await tested.memories.nearest(organizationId, query);

    expect(found.map(({ memory }) => memory)).toEqual([kept, movedAway]);
    expect(found[1]!.similarity).toBeCloseTo(0.1, 6);
  });
});

describe('a search while memories change', () => {
  test('asks for more where too many of the best have gone since the index was asked', async () => {
    const { tested, age } = await open();
    const organizationId = await anOrganization(tested);
    const stored = await store(
      tested,
      organizationId,
      ...Array.from({ length: 20 }, (_, n) => ({ embedding: atCosine(0.9 - n / 100) })),
    );
    await age(stored.map(({ id }) => id));
    const deleted = stored.slice(0, 9);
    afterTheIndex(async () => {
      for (const memory of deleted) await softDelete(tested, memory);
    });

    const found = await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 5 });

    expect(found.map(({ memory }) => memory)).toEqual(stored.slice(9, 14));
  });

  test('gives a memory that changed since the index was asked as it is now', async () => {
    const { tested, age } = await open();
    const organizationId = await anOrganization(tested);
    const [near, far] = await store(tested, organizationId, { embedding: NORTH }, { embedding: atCosine(0.5) });
    await age([near!.id, far!.id]);
    const changed: Memory[] = [];
    afterTheIndex(async () => {
      changed.push(await change(tested, near!, { content: 'elsewhere' }, atCosine(0.1)));
    });

    const found = await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 2 });

    expect(found.map(({ memory }) => memory)).toEqual([far, ...changed]);
    expect(found[1]!.similarity).toBeCloseTo(0.1, 6);
  });

  test('never takes a vector for that of another version, however often a memory is written', async () => {
    const { tested } = await open();
    const organizationId = await anOrganization(tested);
    const [memory] = await store(tested, organizationId, { embedding: NORTH });
    const query = { ...EVERYTHING, vector: NORTH, limit: 1 };

    const similarities: number[] = [];
    for (const cosine of [0.9, 0.3, 0.6]) {
      await tested.memories.nearest(organizationId, query);
      await change(tested, memory!, { content: `at ${cosine}` }, atCosine(cosine));
      similarities.push((await tested.memories.nearest(organizationId, query))[0]!.similarity);
    }

    expect(similarities.map((similarity) => similarity.toFixed(4))).toEqual(['0.9000', '0.3000', '0.6000']);
  });

  test('waits for the database twice, the second time for all memories as they were at one time', async () => {
    const { tested, age } = await open();
    const organizationId = await anOrganization(tested);
    const stored = await store(tested, organizationId, { embedding: NORTH }, { embedding: atCosine(0.5) });
    await age(stored.map(({ id }) => id));
    const query = { ...EVERYTHING, vector: NORTH, limit: 2 };
    await tested.memories.nearest(organizationId, query);
    const calls = (['aggregate', 'find', 'findOne'] as const).map((name) => vi.spyOn(Collection.prototype, name));
    onTestFinished(() => calls.forEach((call) => void call.mockRestore()));

    await tested.memories.nearest(organizationId, query);

    const [aggregate, find, findOne] = calls.map((call) => call.mock.calls);
    expect(aggregate).toHaveLength(2);
    expect(aggregate![1]![1]).toMatchObject({ readConcern: { level: 'snapshot' } });
    expect(findOne).toHaveLength(1);
    expect(find!.length).toBeLessThanOrEqual(1);
  });
});

describe('a search among so many memories that not all are looked at', () => {
  test('finds nearly all of what an exact search finds, and every one of few that match', async () => {
    const { tested, uri, indexed } = await open({ indexLagMs: 0, exactRows: 50 });
    const organizationId = await anOrganization(tested);
    const random = randomNumbers(1);
    const given: Given[] = Array.from({ length: 2_000 }, (_, n) => ({
      embedding: unitVector(Array.from({ length: DIMENSIONS }, () => random() - 0.5)),
      metadata: n % 200 === 0 ? { rare: true } : {},
    }));
    await store(tested, organizationId, ...given);
    await indexed(organizationId);
    const exact = await open({ uri, indexLagMs: 0, exactRows: 1_000_000 });

    let both = 0;
    const queries = 40;
    for (let n = 0; n < queries; n += 1) {
      const vector = unitVector(Array.from({ length: DIMENSIONS }, () => random() - 0.5));
      const query = { ...EVERYTHING, vector, limit: 10 };
      const [approximate, complete] = [
        await tested.memories.nearest(organizationId, query),
        await exact.tested.memories.nearest(organizationId, query),
      ];
      const ids = new Set(complete.map(({ memory }) => memory.id));
      both += approximate.filter(({ memory }) => ids.has(memory.id)).length;
    }
    const filter = { metadata: [{ key: 'rare', anyOf: [true] }] };
    const rare = await tested.memories.nearest(organizationId, {
      filter,
      includeDeleted: false,
      vector: NORTH,
      limit: 10,
    });

    expect(both / (queries * 10)).toBeGreaterThanOrEqual(0.98);
    expect(rare).toHaveLength(10);
  });

  test('ranks by recency in an organization that has grown since it was searched last', async () => {
    let wall = 1_000 * DAY;
    const { tested, indexed } = await open({ indexLagMs: 0, exactRows: 20, now: () => (wall += 1_000_000) });
    const organizationId = await anOrganization(tested);
    const near = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ embedding: atCosine(0.9, 1 + (n % 7)) }));
    await store(tested, organizationId, ...near(10));
    await indexed(organizationId);
    const newest = () => {
      const recency = { weight: 1, halflifeDays: 1, now: wall };
      return tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 1, recency });
    };
    const before = await newest();

    const added = await store(tested, organizationId, ...near(40), { embedding: atCosine(0.1) });
    await indexed(organizationId);
    const after = await newest();

    expect(before).toHaveLength(1);
    expect(after.map(({ memory }) => memory)).toEqual(added.slice(-1));
  });

  test('looks at every vector when the best of all are asked for', async () => {
    const { tested, indexed } = await open({ indexLagMs: 0, exactRows: 5 });
    const organizationId = await anOrganization(tested);
    const given = Array.from({ length: 40 }, (_, n) => ({ embedding: atCosine(n / 40), metadata: { half: n % 2 } }));
    const stored = await store(tested, organizationId, ...given);
    await indexed(organizationId);
    const aggregate = vi.spyOn(Collection.prototype, 'aggregate');
    onTestFinished(() => aggregate.mockRestore());
    const query = { ...EVERYTHING, vector: NORTH, limit: 3 };
    const filter = { metadata: [{ key: 'half', anyOf: [0] }] };

    const exact = await tested.memories.nearest(organizationId, { ...query, exact: true });
    const filtered = await tested.memories.nearest(organizationId, { ...query, exact: true, filter });
    const how = searches(aggregate.mock.calls);
    await tested.memories.nearest(organizationId, query);

    expect(exact.map(({ memory }) => memory)).toEqual([stored[39], stored[38], stored[37]]);
    expect(filtered.map(({ memory }) => memory)).toEqual([stored[38], stored[36], stored[34]]);
    expect(how).toEqual([expect.objectContaining({ exact: true }), expect.objectContaining({ exact: true })]);
    expect(how.every((search) => !('numCandidates' in search))).toBe(true);
    expect(searches(aggregate.mock.calls).at(-1)).toMatchObject({ numCandidates: 1_000 });
  });

  test('ranks by the blend with recency as a search that looks at all does', async () => {
    let wall = 1_000 * DAY;
    const { tested, uri, indexed } = await open({ indexLagMs: 0, exactRows: 60, now: () => wall });
    const { tested: inSmallParts } = await open({ uri, indexLagMs: 0, exactRows: 5 });
    const organizationId = await anOrganization(tested);
    const random = randomNumbers(2);
    const memories: { id: string; createdAt: number; cosine: number }[] = [];
    await tested.transact(organizationId, async (unit) => {
      for (let n = 0; n < 300; n += 1) {
        wall += DAY / 24;
        const cosine = random();
        const { id, createdAt } = await insertInto(unit, {
          embedding: atCosine(cosine, 1 + (n % 7)),
          fingerprint: FINGERPRINT,
        });
        memories.push({ id, createdAt, cosine });
      }
    });

    await indexed(organizationId);
    for (const weight of [0.1, 0.5, 0.9]) {
      const recency = { weight, halflifeDays: 1, now: wall };
      const query = { ...EVERYTHING, vector: NORTH, limit: 5, recency };
      const score = ({ createdAt, cosine }: { createdAt: number; cosine: number }) =>
        (1 - weight) * cosine + weight * 0.5 ** ((wall - createdAt) / DAY);
      const expected = [...memories].sort((a, b) => score(b) - score(a)).slice(0, 5);

      const found = await tested.memories.nearest(organizationId, query);
      const exact = await inSmallParts.memories.nearest(organizationId, { ...query, exact: true });

      expect(found.map(({ memory }) => memory.id)).toEqual(expected.map(({ id }) => id));
      expect(exact.map(({ memory }) => memory.id)).toEqual(expected.map(({ id }) => id));
    }
  });
});

async function open(options: Partial<MongoStoreOptions> = {}) {
  const uri = options.uri ?? (await databases.acquire());
  const now = () => Date.now() * 1_000;
  const tested = await openMongoStore({ dimensions: DIMENSIONS, now, ...options, uri });
  onTestFinished(() => tested[Symbol.asyncDispose]());
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  const memories = client.db().collection<MemoryDocument>('memories');
  /** Makes memories as old to the index as if they had been written an hour ago. */
  const age = async (ids: readonly string[]) => {
    const indexedAt = new Date(Date.now() - 3_600_000);
    await memories.updateMany({ _id: { $in: [...ids] } }, { $set: { indexedAt } });
    await untilIndexed(memories, { indexedAt });
  };
  const indexed = (organizationId: string) => untilIndexed(memories, { org: organizationId });
  return { tested, uri, age, indexed };
}

/** Waits until the search index knows all memories that pass a filter; on the test engine it knows them at once. */
async function untilIndexed(memories: Collection<MemoryDocument>, filter: Filter<MemoryDocument>): Promise<void> {
  const count = await memories.countDocuments(filter);
  const search = {
    index: vectorIndexName(DIMENSIONS),
    path: `embedding.${fieldOf(DIMENSIONS)}`,
    queryVector: Binary.fromFloat32Array(NORTH),
    limit: MOST_CANDIDATES,
    exact: true,
    filter,
  };
  await vi.waitUntil(
    async () => {
      const found = await memories.aggregate([{ $vectorSearch: search }, { $project: { _id: 1 } }]).toArray();
      return found.length === count;
    },
    { timeout: INDEX_LAG_MS, interval: 500 },
  );
}

/** What Vector Search was asked. */
function searches(calls: readonly Parameters<Collection['aggregate']>[]): object[] {
  return calls.flatMap(([pipeline]) => (pipeline?.[0] as { $vectorSearch?: object } | undefined)?.$vectorSearch ?? []);
}

/** The same numbers in [0, 1) every time: a linear congruential generator. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Has something happen once between what the search index answers and what is read then. */
function afterTheIndex(happens: () => Promise<void>): void {
  const toArray = AggregationCursor.prototype.toArray;
  const spy = vi.spyOn(AggregationCursor.prototype, 'toArray');
  onTestFinished(() => spy.mockRestore());
  spy.mockImplementationOnce(async function (this: AggregationCursor) {
    const answered = await toArray.call(this);
    await happens();
    return answered;
  });
}
