import { onTestFinished } from 'vitest';
import { storeSuite } from '../../testing/adapter-suites/store.suite.js';
import { emptyStoreFolder } from '../../testing/embedded/store-folder.js';
import type { SqliteStore } from './sqlite-store.js';
import { openSqliteStore } from './store.js';
import { plainScan, type Scan } from './vector-index/scan/scan.js';

for (const [name, scan] of [
  ['sqlite', undefined],
  ['sqlite, scanning in JavaScript', plainScan],
] as const) {
  storeSuite(name, opening(scan));
}

/** The options that a store was opened with. It opens again with them, so that its clock goes on. */
interface Opened {
  dataDir: string;
  now: (() => number) | undefined;
}

function opening(scan: Scan | undefined) {
  const opened = new WeakMap<object, Opened>();
  const open = async ({ dataDir, now }: Opened): Promise<SqliteStore> => {
    const store = await openSqliteStore({ dataDir, ...(now && { now }), ...(scan && { scan }) });
    opened.set(store, { dataDir, now });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
  return {
    async openEmpty({ now }: { now?: () => number } = {}) {
      return open({ dataDir: emptyStoreFolder(), now });
    },
    async reopen(store: object & AsyncDisposable) {
      await store[Symbol.asyncDispose]();
      return open(opened.get(store)!);
    },
  };
}
