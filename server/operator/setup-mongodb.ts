import { ConfigError, readConfig } from '../config/config.js';
import { setUpStore } from '../container.js';
import { StoreOpenError } from '../ports/store-errors.js';

/** Creates the collections, validators and indexes of the MongoDB store. Safe to repeat, even while servers run. */
try {
  await setUpStore(readConfig(process.env), (step) => console.log(step));
  console.log('The store is ready.');
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof StoreOpenError ? error.message : error);
  process.exitCode = 1;
}
