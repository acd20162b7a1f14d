import { MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { afterAll, onTestFinished } from 'vitest';
import { uriOf } from './database-uri.js';

/** Databases of one test file, each used by one test at a time and empty when it begins; dropped at the end. */
export class MongoDatabases {
  readonly #uri: string;
  readonly #client: MongoClient;
  readonly #all: string[] = [];
  readonly #free: string[] = [];

  /** @param uri connection string; its database is not touched */
  constructor(uri: string) {
    this.#uri = uri;
    this.#client = new MongoClient(uri);
    afterAll(async () => {
      for (const name of this.#all) await this.#client.db(name).dropDatabase();
      await this.#client.close();
    });
  }

  /** The connection string of an empty database, which is the test's own until it ends. */
  async acquire(): Promise<string> {
    const name = this.#free.pop() ?? this.#make();
    onTestFinished(async () => {
      await this.#empty(name);
      this.#free.push(name);
    });
    return uriOf(this.#uri, name);
  }

  /** The connection string of an empty database for all tests of the file. */
  forFile(): string {
    return uriOf(this.#uri, this.#make());
  }

  #make(): string {
    const name = `test_${v7().replaceAll('-', '').slice(-20)}`;
    this.#all.push(name);
    return name;
  }

  /** Keeps the collections with their indexes, which take longer to make than everything else. */
  async #empty(name: string): Promise<void> {
    const db = this.#client.db(name);
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    await Promise.all(collections.map((collection) => db.collection(collection.name).deleteMany({})));
  }
}
