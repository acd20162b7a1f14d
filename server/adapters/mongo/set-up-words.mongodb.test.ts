import { Collection, type ListSearchIndexesCursor, MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreOpenError } from '../../ports/store-errors.js';
import { DIMENSIONS } from '../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../testing/mongodb/mongo-databases.js';
import { vectorIndexDefinition } from './engine/schema.js';
import { SECOND_SLOT } from './engine/vectors.js';
import { WORDS_INDEX, wordsIndexDefinition } from './keywords/words-index.js';
import type { SetUpOptions } from './set-up.js';
import { openMongoStore, setUpMongoStore } from './store.js';

const databases = new MongoDatabases(DIMENSIONS);

describe('setting up a search index of words', () => {
  test('creates no own index of words, which servers with the other setting need', async () => {
    const { setUp, open, indexes } = database();

    const first = await setUp({ keywords: 'search' });
    const second = await setUp({ keywords: 'search' });

    expect(first).toContain('search index memories_words: made');
    expect(first.at(-1)).toBe('search index memories_words: ready');
    expect(second).toContain('search index memories_words: kept');
    expect(await indexes()).not.toContain('terms');
    await expect(open('search')).resolves.toBeUndefined();
    await expect(open('index')).rejects.toThrow(/lacks the indexes terms: run "memory-setup-mongodb"/);
  });

  test('keeps the own index until it is dropped on request, and creates it again for the other setting', async () => {
    const { setUp, open, indexes } = database();
    await setUp({});

    await setUp({ keywords: 'search' });
    expect(await indexes()).toContain('terms');
    await expect(open('index')).resolves.toBeUndefined();
    const dropping = await setUp({ keywords: 'search', dropsOwnWords: true });
    expect(dropping.at(-1)).toBe('index terms of memories: dropped');
    expect(await indexes()).not.toContain('terms');
    await setUp({});

    expect(await indexes()).toContain('terms');
    await expect(open('index')).resolves.toBeUndefined();
  });

  test('does not drop the own index while keyword searches use it', async () => {
    const { setUp, indexes } = database();
    await setUp({});

    await expect(setUp({ dropsOwnWords: true })).rejects.toThrow(StoreOpenError);

    expect(await indexes()).toContain('terms');
  });

  test('does not drop the own index before the search index is built', async () => {
    const { setUp, indexes } = database();
    await setUp({});
    await setUp({ keywords: 'search' });
    const listed = [
      { name: 'memories_d8', queryable: true, latestDefinition: vectorIndexDefinition(DIMENSIONS) },
      { name: 'memories_d8b', queryable: true, latestDefinition: vectorIndexDefinition(DIMENSIONS, SECOND_SLOT) },
      { name: WORDS_INDEX, queryable: false, status: 'BUILDING', latestDefinition: wordsIndexDefinition() },
    ];
    const listing = vi.spyOn(Collection.prototype, 'listSearchIndexes');
    onTestFinished(() => listing.mockRestore());
    listing.mockReturnValue({ toArray: async () => listed } as unknown as ListSearchIndexesCursor);

    const dropping = setUp({ keywords: 'search', dropsOwnWords: true, timeoutMs: 0 });

    await expect(dropping).rejects.toThrow(/memories_words is still being built/);
    expect(await indexes()).toContain('terms');
  });

  test('updates the definition of an earlier index, and keeps what an operator added to it', async () => {
    const { uri, setUp, open, memories } = database();
    await setUpMongoStore({ uri, dimensions: DIMENSIONS });
    const { mappings } = wordsIndexDefinition();
    const { live: _, ...others } = mappings.fields;
    const chosen = { ...mappings.fields.terms, norms: 'include' };
    const fields = { ...others, terms: chosen, facets: { type: 'string' }, ours: { type: 'token' } };
    const definition = { mappings: { ...mappings, fields } };
    await memories.createSearchIndex({ name: WORDS_INDEX, type: 'search', definition });

    await expect(open('search')).rejects.toThrow(/memories_words has an earlier definition of live, facets: run/);
    const steps = await setUp({ keywords: 'search' });
    const [updated] = await memories.listSearchIndexes(WORDS_INDEX).toArray();

    expect(steps).toContain('search index memories_words: updated');
    expect(updated).toMatchObject({
      latestDefinition: { mappings: { fields: { ...mappings.fields, terms: chosen, ours: { type: 'token' } } } },
    });
    await expect(open('search')).resolves.toBeUndefined();
  });
});

test('a server that searches words by a search index does not start without it', async () => {
  const { setUp, open } = database();
  await setUp({});

  await expect(open('search')).rejects.toThrow(
    /There is no search index memories_words: run "memory-setup-mongodb" with the same environment/,
  );
});

function database() {
  const uri = databases.fresh();
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  const memories = client.db().collection('memories');
  return {
    uri,
    memories,
    /** Returns the steps that were reported. */
    async setUp(options: Partial<SetUpOptions>): Promise<string[]> {
      const steps: string[] = [];
      await setUpMongoStore({ uri, dimensions: DIMENSIONS, onProgress: (step) => steps.push(step), ...options });
      return steps;
    },
    /** Opens a store and closes it. */
    async open(keywords: 'index' | 'search'): Promise<void> {
      const now = () => Date.now() * 1_000;
      await using _ = await openMongoStore({ uri, dimensions: DIMENSIONS, keywords, now });
    },
    indexes: async () => (await memories.indexes()).map(({ name }) => name),
  };
}
