import { inject, onTestFinished } from 'vitest';
import type { JobBackend } from '../../adapters/agenda/job-backend.js';
import { LocalEmbedder } from '../../adapters/embedding/local/local-embedder.js';
import { openSqliteStore } from '../../adapters/sqlite/store.js';
import type { Store } from '../../ports/store.js';
import { emptyStoreFolder } from '../embedded/store-folder.js';
import { MongoDatabases } from '../mongodb/mongo-databases.js';

const { dimensions } = new LocalEmbedder();
const databases = inject('mongoRun') && new MongoDatabases(dimensions);

/** A store with the backend of its job queue. */
export type TestStore = Store & { readonly jobs: JobBackend };

/** Opens an empty store of the kind that this run tests, and removes it when the test ends. */
export async function openTestStore(now: () => number): Promise<TestStore> {
  if (databases) {
    const store = databases.open(await databases.acquire(), { now, readsSubscriptions: true });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  }
  const store = await openSqliteStore({ dataDir: emptyStoreFolder(), now });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}
