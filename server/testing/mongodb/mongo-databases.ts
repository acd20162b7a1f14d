import { type Db, MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { afterAll, inject, onTestFinished } from 'vitest';
import { DURABLE, POOL_SIZE } from '../../adapters/mongo/engine/connection.js';
import type { KeywordIndex } from '../../adapters/mongo/engine/schema.js';
import { checkSetUp, setUp } from '../../adapters/mongo/set-up.js';
import { type MongoStore, type MongoStoreOptions, mongoStoreOn } from '../../adapters/mongo/store.js';
import { databaseOf, type MongoRun } from '../runner/mongo-run.js';
import { uriOf } from './database-uri.js';

/** The longest time that a search index may need to index a write. */
export const INDEX_LAG_MS = 120_000;

/** The databases that this worker made. Its files use them one after the other. */
const made = {
  count: 0,
  free: { index: [] as string[], search: [] as string[] },
  setUp: new Map<string, ReadonlySet<string>>(),
};

/** The client of the worker. It closes with the worker, because later files need it too. */
let worker: MongoClient | undefined;

/** Databases that one test uses at a time, empty at its start. */
export class MongoDatabases {
  readonly #run: MongoRun;
  readonly #dimensions: number;
  readonly #keywords: KeywordIndex;
  readonly #fresh: string[] = [];
  /** The names of acquired databases by connection string. */
  readonly #acquired = new Map<string, string>();

  /**
   * @param dimensions size of the vectors that the tests store
   * @param keywords the index that keyword searches of the opened stores use
   */
  constructor(dimensions: number, keywords: KeywordIndex = 'index', run = thisRun()) {
    this.#run = run;
    this.#dimensions = dimensions;
    this.#keywords = keywords;
    afterAll(async () => {
      for (const name of this.#fresh) await this.#client.db(name).dropDatabase();
    });
  }

  /** Returns the connection string of a prepared database, reserved for the test until it ends. */
  async acquire(): Promise<string> {
    const name =
      made.free[this.#keywords].pop() ?? databaseOf(this.#run, process.env.VITEST_POOL_ID ?? '', made.count++);
    await this.#setUp(name);
    onTestFinished(async () => {
      await this.#empty(name);
      made.free[this.#keywords].push(name);
    });
    const uri = uriOf(this.#run.uri, name);
    this.#acquired.set(uri, name);
    return uri;
  }

  /**
   * Opens a store on an acquired database, with the client of the worker and without checking the setup again. Both take
   * longer than most tests.
   */
  open(uri: string, options: Omit<MongoStoreOptions, 'uri' | 'dimensions' | 'keywords' | 'setsUp'>): MongoStore {
    const name = this.#acquired.get(uri);
    const indexed = made.setUp.get(this.#keyOf(name ?? ''));
    if (name === undefined || !indexed) throw new Error('the database was not acquired here');
    // The client stays open for later tests.
    const connection = { client: this.#client, db: this.#client.db(name), async [Symbol.asyncDispose]() {} };
    const own = { dimensions: this.#dimensions, keywords: this.#keywords };
    return mongoStoreOn(connection, indexed, { indexLagMs: INDEX_LAG_MS, ...options, ...own });
  }

  /** Returns the connection string of a database that does not exist yet. It is dropped after the tests of the file. */
  fresh(): string {
    const name = `${this.#run.prefix}${v7().replaceAll('-', '').slice(-12)}`;
    this.#fresh.push(name);
    return uriOf(this.#run.uri, name);
  }

  get #client(): MongoClient {
    worker ??= new MongoClient(this.#run.uri, { ...DURABLE, maxPoolSize: POOL_SIZE });
    return worker;
  }

  #keyOf(name: string): string {
    return `${name} ${this.#dimensions} ${this.#keywords}`;
  }

  async #setUp(name: string): Promise<void> {
    const what = this.#keyOf(name);
    const keywords = this.#keywords;
    // Without the other index, a search that cannot use the search index fails.
    const options = { dimensions: this.#dimensions, keywords, dropsOwnWords: keywords === 'search' };
    if (made.setUp.has(what)) return;
    const db = this.#client.db(name);
    await setUp(db, options);
    await this.#empty(name);
    made.setUp.set(what, await checkSetUp(db, options));
  }

  /** Keeps the collections with their indexes, which take longest to create. */
  async #empty(name: string): Promise<void> {
    const db = this.#client.db(name);
    await Promise.all((await filledCollections(db)).map((collection) => db.collection(collection).deleteMany({})));
  }
}

/** Returns the names of the collections that are not empty. Most are, and one query costs less than many deletes. */
async function filledCollections(db: Db): Promise<string[]> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const [first, ...others] = collections.map(({ name }) => name);
  if (first === undefined) return [];
  const oneOf = (name: string) => [{ $limit: 1 }, { $project: { _id: 0, name: { $literal: name } } }];
  const unions = others.map((name) => ({ $unionWith: { coll: name, pipeline: oneOf(name) } }));
  const filled = await db
    .collection(first)
    .aggregate<{ name: string }>([...oneOf(first), ...unions])
    .toArray();
  return filled.map(({ name }) => name);
}

/** Returns the run of this file. Throws if the run has no deployment. */
export function thisRun(): MongoRun {
  const run = inject('mongoRun');
  if (run === undefined) throw new Error('run this file with "npm run test:mongodb"');
  return run;
}
