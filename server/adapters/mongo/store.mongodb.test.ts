import { onTestFinished } from 'vitest';
import { storeSuite } from '../../testing/adapter-suites/store.suite.js';
import { DIMENSIONS } from '../../testing/fixtures/memories.js';
import { INDEX_LAG_MS, MongoDatabases, thisRun } from '../../testing/mongodb/mongo-databases.js';
import { type MongoStore, type MongoStoreOptions, openMongoStore } from './store.js';

const databases = new MongoDatabases(DIMENSIONS);

// On other deployments the index gets a write later, and vector-search.mongodb.test.ts waits for it.
if (!thisRun().indexLags) storeSuite('mongodb, every write in the index', opening({ indexLagMs: 0 }));
storeSuite('mongodb, no write in the index', opening({ indexLagMs: INDEX_LAG_MS }));

/** The options that a store was opened with. It opens again with them, so that its clock goes on. */
interface Opened {
  uri: string;
  now: () => number;
}

function opening(options: Partial<MongoStoreOptions>) {
  const opened = new WeakMap<object, Opened>();
  const keep = (store: MongoStore, how: Opened): MongoStore => {
    opened.set(store, how);
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
  const clock = () => Date.now() * 1_000;
  return {
    modelRuns: 15,
    async openEmpty({ now = clock }: { now?: () => number } = {}) {
      const uri = await databases.acquire();
      return keep(databases.open(uri, { now, ...options }), { uri, now });
    },
    async reopen(store: object & AsyncDisposable) {
      await store[Symbol.asyncDispose]();
      const how = opened.get(store)!;
      return keep(await openMongoStore({ ...how, dimensions: DIMENSIONS, ...options }), how);
    },
  };
}
