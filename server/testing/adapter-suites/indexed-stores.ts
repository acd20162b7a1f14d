import { Binary, type Collection, type Filter, MongoClient } from 'mongodb';
import { onTestFinished, vi } from 'vitest';
import type { MemoryDocument } from '../../adapters/mongo/engine/collections.js';
import { vectorIndexName } from '../../adapters/mongo/engine/schema.js';
import { fieldOf } from '../../adapters/mongo/engine/vectors.js';
import { type MongoStore, type MongoStoreOptions, openMongoStore } from '../../adapters/mongo/store.js';
import { MAX_CANDIDATES } from '../../adapters/mongo/vector-index/vector-search.js';
import { DIMENSIONS, NORTH } from '../fixtures/memories.js';
import type { MongoDatabases } from '../mongodb/mongo-databases.js';

/** The most that a search index is given to learn of a write. */
const INDEX_LAG_MS = 120_000;

/** A store, and what its search index knows. */
interface IndexedStore {
  tested: MongoStore;
  /** Of its database. */
  uri: string;
  /** Makes memories as old to the index as if they had been written an hour ago. */
  age(ids: readonly string[]): Promise<void>;
  /** Waits until the index knows all memories of an organization. */
  indexed(organizationId: string): Promise<void>;
}

/** How tests open stores that search by an index, each on a database of its own unless it names one. */
export function indexedStores(
  databases: MongoDatabases,
): (options?: Partial<MongoStoreOptions>) => Promise<IndexedStore> {
  return async (options = {}) => {
    const uri = options.uri ?? (await databases.acquire());
    const now = () => Date.now() * 1_000;
    const tested = await openMongoStore({ dimensions: DIMENSIONS, now, ...options, uri });
    onTestFinished(() => tested[Symbol.asyncDispose]());
    const client = new MongoClient(uri);
    onTestFinished(() => client.close());
    const memories = client.db().collection<MemoryDocument>('memories');
    const age = async (ids: readonly string[]) => {
      const indexedAt = new Date(Date.now() - 3_600_000);
      await memories.updateMany({ _id: { $in: [...ids] } }, { $set: { indexedAt } });
      await untilIndexed(memories, { indexedAt });
    };
    const indexed = (organizationId: string) => untilIndexed(memories, { org: organizationId });
    return { tested, uri, age, indexed };
  };
}

/** Waits until the search index knows all memories that pass a filter; on the test engine it knows them at once. */
async function untilIndexed(memories: Collection<MemoryDocument>, filter: Filter<MemoryDocument>): Promise<void> {
  const count = await memories.countDocuments(filter);
  const search = {
    index: vectorIndexName(DIMENSIONS),
    path: `embedding.${fieldOf(DIMENSIONS)}`,
    queryVector: Binary.fromFloat32Array(NORTH),
    limit: MAX_CANDIDATES,
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
