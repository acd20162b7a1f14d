import { MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER, parseFilter, type WireFilter } from '../../../domain/filter/filter.js';
import type { KeywordQuery } from '../../../ports/memory-reader.js';
import { anOrganization, DIMENSIONS, type Given, softDelete, store } from '../../../testing/fixtures/memories.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { Collections } from '../engine/collections.js';
import { IndexWatch } from '../index-watch.js';
import { openMongoStore } from '../store.js';
import { KeywordSearch } from './keyword-search.js';
import { settledIn } from './search-clauses.js';
import { INDEXED_WORDS, WORDS_INDEX } from './words-index.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };
const MAX_RANKED = 10_000;
const databases = new MongoDatabases(DIMENSIONS, 'search');

describe('a search by the search index of words', () => {
  test.each<[string, WireFilter | undefined, Partial<KeywordQuery>]>([
    ['no filter', undefined, {}],
    ['deleted memories', undefined, { includeDeleted: true }],
    ['metadata', { match: { kind: 'a' } }, {}],
    ['values to leave out', { where: { kind: { nin: ['a', 'b'] } } }, {}],
    ['a range that the index cannot check', { where: { n: { gte: 20, lt: 60 } } }, {}],
    ['the presence of a key, which it cannot check', { where: { odd: { exists: true } } }, {}],
    ['times of creation', { where: { createdAt: { gte: '2020-01-01', ne: '2020-02-02T00:00:00Z' } } }, {}],
    ['times of change, which it cannot check', { where: { updatedAt: { gte: '2020-01-01' } } }, {}],
    ['documents to leave out', undefined, { outside: [{ documentId: 'd1' }] }],
    ['filter and documents', { match: { kind: 'b' } }, { outside: [{ documentId: 'd0' }, { documentId: 'd2' }] }],
  ])('ranks like a search of all memories: %s', async (_, wire, other) => {
    const { tested, own, indexed } = await open();
    const organizationId = await anOrganization(tested);
    const stored = await store(tested, organizationId, ...Array.from({ length: 80 }, (_, n) => given(n)));
    for (const memory of stored.slice(0, 5)) await softDelete(tested, memory);
    await indexed(organizationId);
    const filter = wire ? parseFilter(wire, {}, 'json') : NO_FILTER;

    for (const text of ['harbour', 'harbour storm', 'the storm of lantern 7', 'lantern 港口']) {
      const query = { filter, includeDeleted: false, text, limit: 6, ...other };
      expect(await tested.memories.matching(organizationId, query)).toEqual(await own.run(organizationId, query));
    }
  });

  test('reads more candidates until no other memory can be better', async () => {
    const { tested, own, indexed } = await open();
    const organizationId = await anOrganization(tested);
    // The shortest contents with the common word come last.
    const contents = Array.from(
      { length: 200 },
      (_, n) => `common ${'filler '.repeat(200 - n)} ${n < 3 ? 'rare' : ''}`,
    );
    await store(tested, organizationId, ...contents.map((content) => ({ content })));
    await indexed(organizationId);

    for (const text of ['common', 'common rare']) {
      const query = { ...EVERYTHING, text, limit: 3 };
      expect(await tested.memories.matching(organizationId, query)).toEqual(await own.run(organizationId, query));
    }
  });

  test('reads at most `maxRanked` memories, those with the rarest words first', async () => {
    const { tested, indexed } = await open({ maxRanked: 60 });
    const organizationId = await anOrganization(tested);
    const contents = Array.from({ length: 150 }, (_, n) => `often ${n < 4 ? 'rare' : 'plain'} ${n}`);
    const stored = await store(tested, organizationId, ...contents.map((content) => ({ content })));
    await indexed(organizationId);

    const { matches } = await tested.memories.matching(organizationId, { ...EVERYTHING, text: 'often rare', limit: 4 });
    const common = await tested.memories.matching(organizationId, { ...EVERYTHING, text: 'often', limit: 50 });

    expect(matches.map(({ memory }) => memory.id)).toEqual(stored.slice(0, 4).map(({ id }) => id));
    expect(common.matches).toHaveLength(50);
  });

  test('uses the index when a canary is in it', async () => {
    const uri = await databases.acquire();
    let watch: IndexWatch | undefined;
    const tested = await openMongoStore({
      uri,
      dimensions: DIMENSIONS,
      keywords: 'search',
      now: () => Date.now() * 1_000,
      indexes: ({ memories }) => (watch = new IndexWatch(memories, INDEXED_WORDS)),
    });
    onTestFinished(() => tested[Symbol.asyncDispose]());

    const view = await vi.waitUntil(
      async () => {
        await watch?.beat();
        return watch?.view(WORDS_INDEX);
      },
      { timeout: INDEX_LAG_MS, interval: 500 },
    );

    expect(await watch?.confirm(WORDS_INDEX, view)).toBe(true);
    expect(watch?.states()).toContainEqual(expect.objectContaining({ name: WORDS_INDEX, isQueryable: true }));
  });
});

const WORDS = ['harbour', 'storm', 'lantern', 'quay', 'tide'];

function given(n: number): Given {
  const words = WORDS.filter((_, at) => n % (at + 2) === 0).join(' ');
  const content = `${words} the ${'harbour '.repeat(n % 3)} ${n} ${n % 9 === 0 ? '港口' : ''}`;
  const kind = { kind: 'abc'[n % 3]!, n };
  const chunk = n % 4 === 0 ? { documentId: `d${n % 5}`, chunkIndex: n, chunkTotal: 100 } : {};
  return { content, metadata: { ...kind, ...(n % 2 === 1 && { odd: true }), ...chunk } };
}

/** Opens a store, and a search of the same memories that reads all of them. */
async function open({ maxRanked = MAX_RANKED } = {}) {
  const uri = await databases.acquire();
  // No search may compare all memories, which would hide that it cannot use the index.
  const settings = { indexLagMs: 0, maxCompared: 0, maxRanked };
  const tested = databases.open(uri, { now: () => Date.now() * 1_000, ...settings });
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  const collections = new Collections(client.db());
  return {
    tested,
    own: new KeywordSearch(collections, { maxRanked, maxCompared: 0 }),
    /** Waits until the index contains all memories of an organization. */
    async indexed(organizationId: string) {
      const { memories } = collections;
      const number = await memories.countDocuments({ org: organizationId });
      const filter = settledIn(organizationId, new Date(Date.now() + INDEX_LAG_MS));
      const count = { type: 'lowerBound', threshold: MAX_RANKED };
      const pipeline = [{ $searchMeta: { index: WORDS_INDEX, compound: { filter }, count } }];
      const options = { readConcern: { level: 'local' } } as const;
      await vi.waitUntil(
        async () => (await memories.aggregate(pipeline, options).next())?.count.lowerBound === number,
        { timeout: INDEX_LAG_MS, interval: 500 },
      );
    },
  };
}
