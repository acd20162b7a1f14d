import { MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { afterAll, inject, onTestFinished } from 'vitest';
import { setUpMongoStore } from '../../adapters/mongo/store.js';
import { databaseOf, type MongoRun } from '../runner/mongo-run.js';
import { uriOf } from './database-uri.js';

/** The databases that this worker made. Its files use them one after the other. */
const made = { count: 0, free: [] as string[], setUp: new Set<string>() };

/** The client of the worker. It closes with the worker, because later files need it too. */
let worker: MongoClient | undefined;

/** Databases that one test uses at a time, empty at its start. */
export class MongoDatabases {
  readonly #run: MongoRun;
  readonly #dimensions: number;
  readonly #fresh: string[] = [];

  /** @param dimensions size of the vectors that the tests store */
  constructor(dimensions: number, run = thisRun()) {
    this.#run = run;
    this.#dimensions = dimensions;
    afterAll(async () => {
      for (const name of this.#fresh) await this.#client.db(name).dropDatabase();
    });
  }

  /** Returns the connection string of a prepared database, reserved for the test until it ends. */
  async acquire(): Promise<string> {
    const name = made.free.pop() ?? databaseOf(this.#run, process.env.VITEST_POOL_ID ?? '', made.count++);
    await this.#setUp(name);
    onTestFinished(async () => {
      await this.#empty(name);
      made.free.push(name);
    });
    return uriOf(this.#run.uri, name);
  }

  /** Returns the connection string of a database that does not exist yet. It is dropped after the tests of the file. */
  fresh(): string {
    const name = `${this.#run.prefix}${v7().replaceAll('-', '').slice(-12)}`;
    this.#fresh.push(name);
    return uriOf(this.#run.uri, name);
  }

  get #client(): MongoClient {
    worker ??= new MongoClient(this.#run.uri);
    return worker;
  }

  async #setUp(name: string): Promise<void> {
    const what = `${name} ${this.#dimensions}`;
    if (made.setUp.has(what)) return;
    await setUpMongoStore({ uri: uriOf(this.#run.uri, name), dimensions: this.#dimensions });
    await this.#empty(name);
    made.setUp.add(what);
  }

  /** Keeps the collections with their indexes, which take longest to create. */
  async #empty(name: string): Promise<void> {
    const db = this.#client.db(name);
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    await Promise.all(collections.map((collection) => db.collection(collection.name).deleteMany({})));
  }
}

/** Returns the run of this file. Throws if the run has no deployment. */
export function thisRun(): MongoRun {
  const run = inject('mongoRun');
  if (run === undefined) throw new Error('run this file with "npm run test:mongodb"');
  return run;
}
