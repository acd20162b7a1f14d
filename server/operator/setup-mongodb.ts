import { ConfigError, readConfig } from '../config/config.js';
import { planStore, setUpStore } from '../container.js';
import { StoreOpenError } from '../ports/store-errors.js';
import { UsageError } from './usage-error.js';

const USAGE = `Creates the collections, validators and indexes of the MongoDB store. Safe to repeat, even while servers run.

  --plan [memories]   only prints what it would create, and the sizes for a number of memories (default: 1000000)
  --drop-words        also drops the database's own index of words, if SERVICE_MONGODB_KEYWORDS is search. Run it when
                      all servers have that setting, since keyword searches of others need the index
`;
const PLANNED_MEMORIES = 1_000_000;

async function main([option, amount, ...others]: readonly string[]): Promise<void> {
  if (option === '--help' || option === '-h') return console.log(USAGE);
  const config = readConfig(process.env);
  const dropsOwnWords = option === '--drop-words' && amount === undefined;
  if (option === undefined || dropsOwnWords) {
    await setUpStore(config, { onProgress: (step) => console.log(step), dropsOwnWords });
    return console.log('The store is ready.');
  }
  const memories = Number(amount ?? PLANNED_MEMORIES);
  if (option !== '--plan' || others.length > 0 || !Number.isSafeInteger(memories) || memories < 1) {
    throw new UsageError(`Unknown option ${[option, amount, ...others].join(' ').trim()}\n\n${USAGE}`);
  }
  for (const line of await planStore(config, memories)) console.log(line);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isTold = error instanceof ConfigError || error instanceof StoreOpenError || error instanceof UsageError;
  console.error(isTold ? error.message : error);
  process.exitCode = 1;
}
