import { openSqliteStore } from '../../adapters/sqlite/store.js';

/** Holds the data folder that it is given until it is killed. Says when it has it. */
const [dataDir = ''] = process.argv.slice(2);
const opened = await openSqliteStore({ dataDir });
await opened.probe();
process.send?.('held');
