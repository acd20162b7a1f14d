import { setTimeout as wait } from 'node:timers/promises';
import { type Db, type Document, MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { Collections } from '../../adapters/mongo/engine/collections.js';
import { DURABLE } from '../../adapters/mongo/engine/connection.js';
import { vectorIndexDefinition, vectorIndexName } from '../../adapters/mongo/engine/schema.js';
import { FIRST_SLOT } from '../../adapters/mongo/engine/vectors.js';
import { untilBuilt } from '../../adapters/mongo/search-index/search-indexes.js';
import { setUp } from '../../adapters/mongo/set-up.js';
import { openMongoStore } from '../../adapters/mongo/store.js';
import { uriOf } from '../../testing/mongodb/database-uri.js';
import { type Backing, DIMENSIONS } from '../world.js';

const POLL_MS = 100;
const BUILD_TIMEOUT_MS = 3_600_000;

/** A database for the benchmark, dropped at the end. Its client has the same write concern as that of the service. */
export class BenchDatabase implements AsyncDisposable {
  readonly backing: Backing;
  readonly db: Db;
  readonly collections: Collections;
  readonly #client: MongoClient;

  private constructor(client: MongoClient, uri: string) {
    this.#client = client;
    this.db = client.db();
    this.collections = new Collections(this.db);
    this.backing = {
      env: { SERVICE_STORE: 'mongodb', MONGODB_URI: uri },
      openStore: () => openMongoStore({ uri, dimensions: DIMENSIONS, now: () => Date.now() * 1_000 }),
    };
  }

  /** @param deployment connection string; its database is not used */
  static async make(deployment: string): Promise<BenchDatabase> {
    const uri = uriOf(deployment, `bench_${v7().replaceAll('-', '').slice(-20)}`);
    return new BenchDatabase(await new MongoClient(uri, DURABLE).connect(), uri);
  }

  /** Drops the index until the data is loaded: a graph that grows by single memories is much slower to build. */
  async dropVectorIndex(): Promise<void> {
    const { memories } = this.collections;
    const name = vectorIndexName(DIMENSIONS, FIRST_SLOT);
    await memories.dropSearchIndex(name);
    while ((await memories.listSearchIndexes(name).toArray()).length > 0) await wait(POLL_MS);
  }

  /** @returns the duration in milliseconds */
  async buildVectorIndex(): Promise<number> {
    const start = performance.now();
    await setUp(this.db, { dimensions: DIMENSIONS, timeoutMs: BUILD_TIMEOUT_MS });
    return performance.now() - start;
  }

  /** Builds the index without a graph, which is quick, and is the advised method for many small organizations. */
  async buildFlatIndex(): Promise<void> {
    const memories = this.db.collection('memories');
    const name = vectorIndexName(DIMENSIONS, FIRST_SLOT);
    const { fields } = vectorIndexDefinition(DIMENSIONS, FIRST_SLOT) as { fields: Document[] };
    const flat = fields.map(({ hnswOptions, ...field }) =>
      hnswOptions ? { ...field, indexingMethod: 'flat' } : field,
    );
    await memories.createSearchIndex({ name, type: 'vectorSearch', definition: { fields: flat } });
    await untilBuilt(memories, name, BUILD_TIMEOUT_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db.dropDatabase();
    await this.#client.close();
  }
}
