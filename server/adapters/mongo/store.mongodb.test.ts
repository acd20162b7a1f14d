import { onTestFinished } from 'vitest';
import { storeSuite } from '../../testing/adapter-suites/store.suite.js';
import { DIMENSIONS } from '../../testing/fixtures/memories.js';
import { MongoDatabases, thisRun } from '../../testing/mongodb/mongo-databases.js';
import { type MongoStore, type MongoStoreOptions, openMongoStore } from './store.js';

const databases = new MongoDatabases(DIMENSIONS);

// On other deployments the index gets a write later, and vector-search.mongodb.test.ts waits for it.
if (!thisRun().indexLags) storeSuite('mongodb, every write in the index', opening({ indexLagMs: 0 }));
storeSuite('mongodb, no write in the index', opening({}));

function opening(options: Partial<MongoStoreOptions>) {
  const opened = new WeakMap<object, string>();
  const keep = (store: MongoStore, uri: string): MongoStore => {
    opened.set(store, uri);
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
  const clock = () => Date.now() * 1_000;
  return {
    modelRuns: 15,
    async openEmpty({ now = clock }: { now?: () => number } = {}) {
      const uri = await databases.acquire();
      return keep(databases.open(uri, { now, ...options }), uri);
    },
    async reopen(store: object & AsyncDisposable) {
      await store[Symbol.asyncDispose]();
      const uri = opened.get(store) ?? '';
      return keep(await openMongoStore({ uri, dimensions: DIMENSIONS, now: clock, ...options }), uri);
    },
  };
}
