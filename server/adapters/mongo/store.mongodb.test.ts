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
  const open = async (uri: string, now = () => Date.now() * 1_000): Promise<MongoStore> => {
    const store = await openMongoStore({ uri, dimensions: DIMENSIONS, now, ...options });
    opened.set(store, uri);
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
  return {
    modelRuns: 15,
    async openEmpty({ now }: { now?: () => number } = {}) {
      return open(await databases.acquire(), now);
    },
    async reopen(store: object & AsyncDisposable) {
      await store[Symbol.asyncDispose]();
      return open(opened.get(store) ?? '');
    },
  };
}
