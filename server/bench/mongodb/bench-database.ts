import { type Db, MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { Collections } from '../../adapters/mongo/collections.js';
import { DURABLE } from '../../adapters/mongo/connection.js';
import { openMongoStore } from '../../adapters/mongo/store.js';
import { uriOf } from '../../testing/database-uri.js';
import { type Backing, DIMENSIONS } from '../world.js';

/** A database of the benchmark's own, with a client that is as careful as the service's; dropped at the end. */
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

  /** @param deployment connection string; its database is not touched */
  static async make(deployment: string): Promise<BenchDatabase> {
    const uri = uriOf(deployment, `bench_${v7().replaceAll('-', '').slice(-20)}`);
    return new BenchDatabase(await new MongoClient(uri, DURABLE).connect(), uri);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db.dropDatabase();
    await this.#client.close();
  }
}
