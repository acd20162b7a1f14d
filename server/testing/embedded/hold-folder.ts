import { openSqliteStore } from '../../adapters/sqlite/store.js';

/** Locks the data folder in its argument until it is killed. Sends its parent a message once it has the lock. */
const [dataDir = ''] = process.argv.slice(2);
const opened = await openSqliteStore({ dataDir });
await opened.probe();
process.send?.('held');
