import { inject, onTestFinished } from 'vitest';
import { LocalEmbedder } from '../../adapters/embedding/local-embedder.js';
import { openMongoStore } from '../../adapters/mongo/store.js';
import { openSqliteStore } from '../../adapters/sqlite/store.js';
import { MongoDatabases } from '../mongodb/mongo-databases.js';
import { quickFolder } from '../processes/quick-folder.js';

const { dimensions } = new LocalEmbedder();
const databases = inject('mongoRun') && new MongoDatabases(dimensions);

/** A store with nothing in it, which goes when the test ends: the one that this run of the tests is about. */
export async function openTestStore(now: () => number) {
  if (databases) {
    const uri = await databases.acquire();
    const store = await openMongoStore({ uri, dimensions, now, readsSubscriptions: true });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  }
  const store = await openSqliteStore({ dataDir: quickFolder(), now });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}
