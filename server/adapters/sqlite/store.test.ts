import { onTestFinished } from 'vitest';
import { storeSuite } from '../../testing/adapter-suites/store.suite.js';
import { emptyStoreFolder } from '../../testing/embedded/store-folder.js';
import { openSqliteStore, type SqliteStore } from './store.js';
import { plainScan, type Scan } from './vector-index/scan/scan.js';

for (const [name, scan] of [
  ['sqlite', undefined],
  ['sqlite, scanning in JavaScript', plainScan],
] as const) {
  storeSuite(name, opening(scan));
}

function opening(scan: Scan | undefined) {
  const folders = new WeakMap<object, string>();
  const open = async (dataDir: string, now?: () => number): Promise<SqliteStore> => {
    const store = await openSqliteStore({ dataDir, ...(now && { now }), ...(scan && { scan }) });
    folders.set(store, dataDir);
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
  return {
    async openEmpty({ now }: { now?: () => number } = {}) {
      return open(emptyStoreFolder(), now);
    },
    async reopen(store: object & AsyncDisposable) {
      await store[Symbol.asyncDispose]();
      return open(folders.get(store) ?? '');
    },
  };
}
