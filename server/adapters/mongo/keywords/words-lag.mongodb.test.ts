import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { SearchUnavailableError } from '../../../ports/store-errors.js';
import { change, DIMENSIONS, NORTH, softDelete, store } from '../../../testing/fixtures/memories.js';
import { seededRandom } from '../../../testing/fixtures/random-text.js';
import type { FaultProxy } from '../../../testing/mongodb/fault-proxy.js';
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
} from '../../../testing/mongodb/lagging-store.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { Collections } from '../engine/collections.js';
import { MARGIN_MS } from '../index-watch.js';
import { type MongoStoreOptions, setUpMongoStore } from '../store.js';
import { KeywordSearch } from './keyword-search.js';
import { WORDS_INDEX } from './words-index.js';

const QUERY = { filter: NO_FILTER, includeDeleted: false, text: 'harbour storm lantern', limit: 3 };
const WORDS = ['harbour', 'storm', 'lantern', 'quay', 'tide', 'gull'];
const databases = new MongoDatabases(DIMENSIONS, 'search');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a search index of words that lags behind', () => {
  test('answers for the memories that it includes, and only later ones are compared', async () => {
    const { tested, watch, lag, own, organizationId, searched } = await open({ maxCompared: 0 });
    await store(tested, organizationId, { content: 'harbour' }, { content: 'storm' }, { content: 'quay' });
    wait(10 * MINUTE_MS);
    await watch.beat();
    lag.includeUntil(new Date());
    wait(MINUTE_MS);
    await store(tested, organizationId, { content: 'harbour storm' }, { content: 'tide' });

    const found = await tested.memories.matching(organizationId, QUERY);
    const view = await watch.view(WORDS_INDEX);

    expect(found.matches.map(({ memory }) => memory.content)).toEqual(['harbour storm', 'harbour', 'storm']);
    expect(found).toEqual(await own.run(organizationId, QUERY));
    expect(view?.settledBefore.getTime()).toBe(Date.now() - MINUTE_MS - MARGIN_MS);
    expect(searched()).toEqual({ found: 1, counted: 3 });
  });

  test('does not match a memory by a former state', async () => {
    const { tested, watch, lag, organizationId } = await open();
    const [changed, deleted, kept] = await store(
      tested,
      organizationId,
      { content: 'harbour one' },
      { content: 'harbour two' },
      { content: 'harbour three' },
    );
    wait(10 * MINUTE_MS);
    await watch.beat();
    lag.includeUntil(new Date());
    wait(MINUTE_MS);
    await change(tested, changed!, { content: 'storm' }, NORTH);
    await softDelete(tested, deleted!);

    const { matches } = await tested.memories.matching(organizationId, { ...QUERY, text: 'harbour' });

    expect(matches.map(({ memory }) => memory)).toEqual([kept]);
  });

  test('finds words that were read again', async () => {
    const { tested, watch, lag, organizationId } = await open({ maxCompared: 0 });
    const [memory] = await store(tested, organizationId, { content: 'former' });
    wait(10 * MINUTE_MS);
    await watch.beat();
    lag.includeUntil(new Date());
    wait(MINUTE_MS);
    await tested.transact(organizationId, (unit) => unit.replaceTerms(memory!.id, ['storm']));

    const { matches } = await tested.memories.matching(organizationId, QUERY);

    expect(matches.map((match) => match.memory)).toEqual([memory]);
  });

  test('refuses searches that would compare too many memories', async () => {
    const { tested, watch, lag, organizationId } = await open({ maxCompared: 15 });
    await watch.beat();
    lag.includeUntil(new Date());
    wait(5 * MINUTE_MS);
    await store(tested, organizationId, ...contents(20));
    await watch.beat();

    const refused = tested.memories.matching(organizationId, QUERY);

    await expect(refused).rejects.toThrow(SearchUnavailableError);
    expect(await tested.probe()).toContain('memories_words is 300 s behind');
    wait(MARGIN_MS + SECOND_MS);
    await watch.beat();
    lag.includeUntil(new Date());
    await watch.beat();
    expect((await tested.memories.matching(organizationId, QUERY)).matches).toHaveLength(3);
    expect(await tested.probe()).toBeUndefined();
  });
});

describe('a search index of words that was dropped', () => {
  test.each(['drop', 'refuse'] as const)('is not trusted in the next search: %s', async (how) => {
    const { tested, watch, lag, own, organizationId, searched } = await open();
    await store(tested, organizationId, ...contents(20));
    wait(10 * MINUTE_MS);
    await watch.beat();
    await watch.view(WORDS_INDEX);

    lag[how]();
    const found = await tested.memories.matching(organizationId, QUERY);

    expect(found.matches).toHaveLength(3);
    expect(found).toEqual(await own.run(organizationId, QUERY));
    expect(searched().counted).toBeGreaterThan(0);
  });

  test('is not trusted by a search that finds none of its words', async () => {
    const { tested, watch, lag, organizationId } = await open({ maxCompared: 15 });
    await store(tested, organizationId, ...contents(20));
    wait(10 * MINUTE_MS);
    await watch.beat();
    await watch.view(WORDS_INDEX);

    lag.drop();

    const query = { ...QUERY, text: 'nothing' };
    await expect(tested.memories.matching(organizationId, query)).rejects.toThrow(SearchUnavailableError);
  });

  test('makes searches of many memories fail until it is built again', async () => {
    const { tested, watch, lag, own, organizationId } = await open({ maxCompared: 15 });
    await store(tested, organizationId, ...contents(20));
    wait(10 * MINUTE_MS);
    await watch.beat();
    await watch.view(WORDS_INDEX);

    lag.drop();
    await expect(tested.memories.matching(organizationId, QUERY)).rejects.toThrow(SearchUnavailableError);
    lag.restore();
    await watch.beat();

    expect(await tested.memories.matching(organizationId, QUERY)).toEqual(await own.run(organizationId, QUERY));
  });

  test("is replaced by the database's own index of words, if there is one", async () => {
    const uri = databases.fresh();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });
    await setUpMongoStore({ uri, dimensions: DIMENSIONS, keywords: 'search' });
    const { tested, watch, lag, own, organizationId } = await open({ uri, maxCompared: 15 });
    await store(tested, organizationId, ...contents(20));
    wait(10 * MINUTE_MS);
    await watch.beat();
    await watch.view(WORDS_INDEX);

    lag.drop();
    const found = await tested.memories.matching(organizationId, QUERY);

    expect(found.matches).toHaveLength(3);
    expect(found).toEqual(await own.run(organizationId, QUERY));
  });
});

test('every search has every acknowledged memory or is refused, under random lags, pauses and drops', async () => {
  const opened = await open({ maxCompared: 60 });
  const { own, organizationId, searched } = opened;
  const random = seededRandom(SEED);
  const ids: string[] = [];
  const answered = { fully: 0, not: 0 };

  for (let round = 0; round < ROUNDS; round += 1) {
    await writeAtRandom(opened, ids, random);
    await disturb(opened, random);

    const text = [wordAt(random()), wordAt(random()), wordAt(random())].join(' ');
    const found = await unlessRefused(opened.tested.memories.matching(organizationId, { ...QUERY, text }));
    if (found) expect(found).toEqual(await own.run(organizationId, { ...QUERY, text }));
    answered[found ? 'fully' : 'not'] += 1;
  }

  expect(answered.fully).toBeGreaterThan(ROUNDS / 4);
  expect(answered.not).toBeGreaterThan(0);
  expect(searched().found).toBeGreaterThan(ROUNDS / 4);
});

/** Inserts some memories, and maybe changes or deletes one. */
async function writeAtRandom(
  { tested, organizationId }: LaggingStore,
  ids: string[],
  random: () => number,
): Promise<void> {
  const count = 1 + Math.floor(random() * 5);
  const added = Array.from({ length: count }, () => ({ content: contentOf(random, ids.length) }));
  for (const { id } of await store(tested, organizationId, ...added)) ids.push(id);
  const victim = await tested.memories.findById(organizationId, ids[Math.floor(random() * ids.length)] ?? '');
  const what = random();
  if (!victim || victim.deletedAt !== undefined || what < 0.5) return;
  if (what < 0.8) await change(tested, victim, { content: contentOf(random, ids.length) }, NORTH);
  else await softDelete(tested, victim);
}

let made = 0;

function contentOf(random: () => number, n: number): string {
  made += 1;
  const words = Array.from({ length: 1 + Math.floor(random() * 4) }, () => wordAt(random()));
  return `${words.join(' ')} ${n} unique${made}`;
}

function wordAt(share: number): string {
  return WORDS[Math.floor(share * WORDS.length)] ?? '';
}

/** Opens a store whose search index a test can delay, and a search that reads all memories. */
async function open({ uri, ...options }: Partial<MongoStoreOptions> = {}) {
  const ownUri = uri ?? (await databases.acquire());
  const opened = await openLagging(ownUri, { keywords: 'search', ...options });
  const client = new MongoClient(ownUri);
  onTestFinished(() => client.close());
  const own = new KeywordSearch(new Collections(client.db()), { maxRanked: 10_000, maxCompared: 0 });
  /** Returns how many answers contained results of the index, and how many words were counted in it. */
  const searched = countSearches(opened.proxy);
  return { ...opened, own, searched };
}

/** Counts the stages of Atlas Search, apart from those for canaries. */
function countSearches(proxy: FaultProxy): () => { found: number; counted: number } {
  const { intercept } = proxy;
  const numbers = { found: 0, counted: 0 };
  proxy.intercept = (command) => {
    for (const { $search, $searchMeta, $unionWith } of command.pipeline ?? []) {
      if ($search?.compound.should) numbers.found += 1;
      if ($searchMeta || $unionWith?.pipeline[0]?.$searchMeta) numbers.counted += 1;
    }
    return intercept?.(command);
  };
  return () => ({ ...numbers });
}

function contents(count: number): { content: string }[] {
  return Array.from({ length: count }, (_, n) => ({ content: `harbour ${'storm '.repeat(n % 4)} ${n}` }));
}
