import { Binary, type Collection, type Filter, MongoClient } from 'mongodb';
import { onTestFinished, vi } from 'vitest';
import type { MemoryDocument } from '../../../adapters/mongo/engine/collections.js';
import { vectorIndexName } from '../../../adapters/mongo/engine/schema.js';
import { FIRST_SLOT, fieldOf } from '../../../adapters/mongo/engine/vectors.js';
import { type MongoStore, type MongoStoreOptions, openMongoStore } from '../../../adapters/mongo/store.js';
import { MAX_CANDIDATES } from '../../../adapters/mongo/vector-index/vector-search.js';
import { DIMENSIONS, NORTH } from '../../fixtures/memories.js';
import { INDEX_LAG_MS, type MongoDatabases } from '../../mongodb/mongo-databases.js';

/** A store whose search index a test can age and wait for. */
interface IndexedStore {
  tested: MongoStore;
  /** The URI of its database. */
  uri: string;
  /** Sets back the write times of memories by an hour, as the index sees them. */
  age(ids: readonly string[]): Promise<void>;
  /** Waits until the index contains all memories of an organization. */
  indexed(organizationId: string): Promise<void>;
}

/** Returns functions that open stores with a search index, each on a database of its own unless a name is given. */
export function indexedStores(
  databases: MongoDatabases,
): (options?: Partial<MongoStoreOptions>) => Promise<IndexedStore> {
  return async (options = {}) => {
    const uri = options.uri ?? (await databases.acquire());
    const now = () => Date.now() * 1_000;
    const tested = await openMongoStore({ dimensions: DIMENSIONS, now, indexLagMs: INDEX_LAG_MS, ...options, uri });
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

/** Waits until the search index contains all memories that match a filter. The test engine indexes at once. */
async function untilIndexed(memories: Collection<MemoryDocument>, filter: Filter<MemoryDocument>): Promise<void> {
  const count = await memories.countDocuments(filter);
  const search = {
    index: vectorIndexName(DIMENSIONS, FIRST_SLOT),
    path: `embedding.${fieldOf(DIMENSIONS, FIRST_SLOT)}`,
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
