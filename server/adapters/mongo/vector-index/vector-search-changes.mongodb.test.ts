import { AggregationCursor, Collection } from 'mongodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { Memory } from '../../../domain/memory/memory.js';
import { indexedStores } from '../../../testing/adapter-suites/search/indexed-stores.js';
import {
  anOrganization,
  atCosine,
  change,
  DIMENSIONS,
  NORTH,
  softDelete,
  store,
} from '../../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };
const open = indexedStores(new MongoDatabases(DIMENSIONS));

describe('a search whose index lags behind', () => {
  test('finds recent writes that the index does not include', async () => {
    const { tested, age } = await open();
    const organizationId = await anOrganization(tested);
    const given = Array.from({ length: 12 }, (_, n) => ({ embedding: atCosine(0.5 + n / 100) }));
    const settled = await store(tested, organizationId, ...given);
    await age(settled.map(({ id }) => id));
    const [added] = await store(tested, organizationId, { embedding: atCosine(0.605) });

    const found = await tested.memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 3 });

    expect(found.map(({ memory }) => memory)).toEqual([settled[11], added, settled[10]]);
  });

  test('does not match a memory by an outdated state', async () => {
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
  test('requests more candidates if too many of the best are gone', async () => {
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

  test('returns the current state of a memory that changed after the index query', async () => {
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

  test('never uses the vector of another version, however often a memory is written', async () => {
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

  test('waits for the database twice, the second time for all memories at one moment', async () => {
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

/** Runs `happens` once, between the answer of the search index and the next read. */
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
