import { type Document, MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { KeywordQuery } from '../../../ports/memory-reader.js';
import { anOrganization, DIMENSIONS, type Given, store } from '../../../testing/fixtures/memories.js';
import { FaultProxy } from '../../../testing/mongodb/fault-proxy.js';
import { INDEX_LAG_MS, MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { openMongoStore } from '../store.js';

const MAX_RANKED = 40;
const EVERYTHING = { filter: NO_FILTER, includeDeleted: false };
const databases = new MongoDatabases(DIMENSIONS);

describe('a keyword search in a large organization', () => {
  test('counts and ranks bounded numbers of memories, those with the rarest words first', async () => {
    const { bounded, unbounded, search, reads } = await open();
    const organizationId = await anOrganization(bounded);
    // "often" is in 150 memories, "usual" in 30 of them, "rare" in 4 of those.
    const given = Array.from({ length: 150 }, (_, n) => ({
      content: `often ${n < 30 ? 'usual' : 'other'} ${n < 4 ? 'rare' : 'plain'} ${n}`,
    }));
    const stored = await store(bounded, organizationId, ...given);
    const query = { ...EVERYTHING, text: 'often usual rare', limit: 6 };

    const { matches } = await search(organizationId, query);
    const complete = await unbounded.memories.matching(organizationId, query);

    expect(matches.map(({ memory }) => memory.id)).toEqual(stored.slice(0, 6).map(({ id }) => id));
    expect(matches.map(({ memory }) => memory.id)).toEqual(complete.matches.map(({ memory }) => memory.id));
    expect(await reads()).toEqual({ counted: [4, 30, MAX_RANKED], ranked: [30] });
  });

  test('reads no memories that cannot be among the best', async () => {
    const { bounded, search, reads } = await open({ maxRanked: 10 * MAX_RANKED });
    const organizationId = await anOrganization(bounded);
    const given = Array.from({ length: 100 }, (_, n) => ({ content: `${n < 6 ? 'rare' : 'often'} ${n}` }));
    await store(bounded, organizationId, ...given);

    const { matches } = await search(organizationId, { ...EVERYTHING, text: 'often rare', limit: 5 });

    expect(matches.map(({ memory }) => memory.content)).toEqual(Array.from({ length: 5 }, (_, n) => `rare ${n}`));
    expect(await reads()).toEqual({ counted: [6, 94], ranked: [6] });
  });

  test('ranks some memories with a word that more have', async () => {
    const { bounded, search, reads } = await open();
    const organizationId = await anOrganization(bounded);
    await store(bounded, organizationId, ...Array.from({ length: 100 }, (_, n) => ({ content: `often ${n}` })));

    const { matches } = await search(organizationId, { ...EVERYTHING, text: 'often', limit: 5 });

    expect(matches).toHaveLength(5);
    expect(await reads()).toEqual({ counted: [MAX_RANKED], ranked: [MAX_RANKED] });
  });

  test('returns all memories that match a filter, however many have the words', async () => {
    const { bounded, search } = await open();
    const organizationId = await anOrganization(bounded);
    const words = ['often', 'usual', 'daily', 'plain'];
    const given: Given[] = Array.from({ length: 200 }, (_, n) => ({
      content: `${words[n % words.length]} ${n}`,
      metadata: n >= 196 ? { kind: 'few' } : {},
    }));
    const stored = await store(bounded, organizationId, ...given);
    const filter = { metadata: [{ key: 'kind', anyOf: ['few'] }] };

    const { matches } = await search(organizationId, {
      filter,
      includeDeleted: false,
      text: words.join(' '),
      limit: 5,
    });

    expect(new Set(matches.map(({ memory }) => memory.id))).toEqual(new Set(stored.slice(196).map(({ id }) => id)));
  });

  test('counts stop words only if no memory has another word of the query', async () => {
    const { bounded, search, reads } = await open();
    const organizationId = await anOrganization(bounded);
    await store(bounded, organizationId, { content: 'where is the harbour' }, { content: 'where is it' });

    await search(organizationId, { ...EVERYTHING, text: 'where is the harbour', limit: 5 });
    const telling = await reads();
    await search(organizationId, { ...EVERYTHING, text: 'where is the zebra', limit: 5 });
    const none = await reads();

    expect(telling.counted).toEqual([1]);
    expect(none.counted).toEqual([0, 1, 2, 2]);
  });
});

/** Opens a store with a low bound, whose reads a test can count, and one with the usual bound. */
async function open({ maxRanked = MAX_RANKED } = {}) {
  const uri = await databases.acquire();
  const proxy = await FaultProxy.start(uri);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const now = () => Date.now() * 1_000;
  const options = { dimensions: DIMENSIONS, now, indexLagMs: INDEX_LAG_MS };
  const bounded = await openMongoStore({ ...options, maxRanked, uri: proxy.through(uri) });
  onTestFinished(() => bounded[Symbol.asyncDispose]());
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  const pipelines: Document[][] = [];
  return {
    bounded,
    unbounded: databases.open(uri, { now }),
    async search(organizationId: string, query: KeywordQuery) {
      pipelines.length = 0;
      proxy.intercept = ({ pipeline }) => {
        pipelines.push(pipeline);
        return undefined;
      };
      const found = await bounded.memories.matching(organizationId, query);
      proxy.intercept = undefined;
      return found;
    },
    /** Returns the numbers of memories that the parts of the last search read, ascending: to count words, and to rank. */
    async reads() {
      const counted: number[] = [];
      const ranked: number[] = [];
      for (const part of pipelines.flatMap(partsOf)) {
        const limited = part.slice(0, part.findIndex(({ $limit }) => $limit !== undefined) + 1);
        const memories = client.db().collection('memories');
        const [number] = await memories.aggregate<{ n: number }>([...limited, { $count: 'n' }]).toArray();
        const isCount = part.some(({ $count }) => $count !== undefined);
        (isCount ? counted : ranked).push(number?.n ?? 0);
      }
      return { counted: counted.sort((a, b) => a - b), ranked };
    },
  };
}

/** Returns the stages of a pipeline before its unions, and those of each union. */
function partsOf(pipeline: readonly Document[]): Document[][] {
  const own = pipeline.filter(({ $unionWith }) => $unionWith === undefined);
  return [own, ...pipeline.flatMap(({ $unionWith }) => ($unionWith ? [$unionWith.pipeline as Document[]] : []))];
}
