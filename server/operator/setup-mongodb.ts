import { ConfigError, readConfig } from '../config/config.js';
import { setUpStore } from '../container.js';
import { StoreOpenError } from '../ports/store.js';

/** Makes the collections, validators and indexes of the MongoDB store. Safe to run again, and beside running servers. */
try {
  await setUpStore(readConfig(process.env), (step) => console.log(step));
  console.log('The store is ready.');
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof StoreOpenError ? error.message : error);
  process.exitCode = 1;
}
