import { Collection } from 'mongodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER, parseFilter, type WireFilter } from '../../../domain/filter/filter.js';
import type { Recency } from '../../../domain/retrieval/recency.js';
import { indexedStores } from '../../../testing/adapter-suites/search/indexed-stores.js';
import {
  anOrganization,
  atCosine,
  DIMENSIONS,
  FINGERPRINT,
  type Given,
  insertInto,
  NORTH,
  store,
  unitVector,
} from '../../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';

const DAY_US = 86_400_000_000;
const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };
const open = indexedStores(new MongoDatabases(DIMENSIONS));

describe('a search among too many memories to compare all', () => {
  test('finds nearly all results of an exact search, and all if few match', async () => {
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

  test('applies conditions that the search index cannot check before the limit', async () => {
    const { tested, indexed } = await open({ indexLagMs: 0, exactRows: 50 });
    const organizationId = await anOrganization(tested);
    const given: Given[] = Array.from({ length: 600 }, (_, n) => ({ embedding: atCosine(n / 600), metadata: { n } }));
    await store(tested, organizationId, ...given);
    await indexed(organizationId);
    const nearest = async (where: NonNullable<WireFilter['where']>, recency?: Recency) => {
      const filter = parseFilter({ where }, {}, 'json');
      const query = { filter, includeDeleted: false, vector: NORTH, limit: 3, ...(recency && { recency }) };
      return (await tested.memories.nearest(organizationId, query)).map(({ memory }) => memory.metadata.n);
    };

    expect(await nearest({ n: { lt: 300 } })).toEqual([299, 298, 297]);
    expect(await nearest({ n: { lt: 20 } })).toEqual([19, 18, 17]);
    expect(await nearest({ n: { lt: 300, ne: 298 }, missing: { exists: false } })).toEqual([299, 297, 296]);
    expect(await nearest({ n: { lt: 300 } }, { weight: 0.1, halflifeDays: 1, now: 0 })).toEqual([299, 298, 297]);
  });

  test('compares all memories if the candidates of the search index do not match', async () => {
    const { tested, indexed } = await open({ indexLagMs: 0, exactRows: 5 });
    const organizationId = await anOrganization(tested);
    await store(
      tested,
      organizationId,
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => ({ embedding: atCosine(n / 9), metadata: { n } })),
    );
    await indexed(organizationId);
    const filter = parseFilter({ where: { n: { lte: 6 } } }, {}, 'json');
    const aggregate = Collection.prototype.aggregate;
    const searches = vi.spyOn(Collection.prototype, 'aggregate').mockImplementation(function (
      this: Collection,
      ...given
    ) {
      const limit = given[0]?.[0]?.$vectorSearch?.limit;
      const [one] = limit === undefined ? given : [[{ $documents: [] }]];
      const cursor = aggregate.call(this, one, given[1]);
      const others = Array.from({ length: limit ?? 0 }, (_, n) => ({
        _id: `other-${n}`,
        indexedAt: new Date(0),
        score: 1,
      }));
      return limit === undefined ? cursor : Object.assign(cursor, { toArray: async () => others });
    });
    onTestFinished(() => searches.mockRestore());

    const found = await tested.memories.nearest(organizationId, {
      filter,
      includeDeleted: false,
      vector: NORTH,
      limit: 3,
    });

    expect(found.map(({ memory }) => memory.metadata.n)).toEqual([6, 5, 4]);
  });

  test('ranks by recency in an organization that has grown since its last search', async () => {
    let wall = 1_000 * DAY_US;
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

  test('compares every vector if an exact search is requested', async () => {
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

  test('ranks with recency like a search that compares all', async () => {
    let wall = 1_000 * DAY_US;
    const { tested, uri, indexed } = await open({ indexLagMs: 0, exactRows: 60, now: () => wall });
    const { tested: inSmallParts } = await open({ uri, indexLagMs: 0, exactRows: 5 });
    const organizationId = await anOrganization(tested);
    const random = randomNumbers(2);
    const memories: { id: string; createdAt: number; cosine: number }[] = [];
    await tested.transact(organizationId, async (unit) => {
      for (let n = 0; n < 300; n += 1) {
        wall += DAY_US / 24;
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
        (1 - weight) * cosine + weight * 0.5 ** ((wall - createdAt) / DAY_US);
      const expected = [...memories].sort((a, b) => score(b) - score(a)).slice(0, 5);

      const found = await tested.memories.nearest(organizationId, query);
      const exact = await inSmallParts.memories.nearest(organizationId, { ...query, exact: true });

      expect(found.map(({ memory }) => memory.id)).toEqual(expected.map(({ id }) => id));
      expect(exact.map(({ memory }) => memory.id)).toEqual(expected.map(({ id }) => id));
    }
  });
});

/** Returns the queries that Vector Search received. */
function searches(calls: readonly Parameters<Collection['aggregate']>[]): object[] {
  return calls.flatMap(([pipeline]) => (pipeline?.[0] as { $vectorSearch?: object } | undefined)?.$vectorSearch ?? []);
}

/** Returns the same numbers in [0, 1) for a seed, by a linear congruential generator. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
