import { ConfigError, readConfig } from '../config/config.js';
import { createContainer } from '../container.js';
import type { Deps } from '../deps.js';
import { StoreOpenError } from '../ports/store-errors.js';
import { beginReembedding, reembed, unfinishedReembeddings } from '../services/upkeep/reembed.js';
import { rereadWords } from '../services/upkeep/reread-words.js';
import { UsageError } from './usage-error.js';

const USAGE = `Moves every organization to the configured embedder, and indexes words again that an earlier release indexed otherwise.
Searches compare the former vectors until every memory has a new one. It can be interrupted and run again.

On MongoDB, servers may run meanwhile. The embedded store allows one process: stop the server first. A server on the
embedded store does the same by itself while it runs, if it has the former embedder.

  --status   only prints what is left to do
`;

/** Moves every organization to the configured embedder, or prints the state of that. */
async function main(args: readonly string[]): Promise<void> {
  const [option] = args;
  if (option === '--help' || option === '-h') return console.log(USAGE);
  if (option !== undefined && (option !== '--status' || args.length > 1)) {
    throw new UsageError(`Unknown option ${args.join(' ')}\n\n${USAGE}`);
  }
  await using container = await createContainer(readConfig(process.env), () => {
    // A failing store rejects pending operations, which ends the run.
  });
  await (option === '--status' ? printStatus(container.deps) : reembedAll(container.deps));
}

async function printStatus({ store, embedder }: Deps): Promise<void> {
  const unfinished = await unfinishedReembeddings({ store, embedder });
  for (const { organizationId, searched, pending, former, all, unembedded } of unfinished) {
    const moves = pending === undefined ? '' : `, ${all - unembedded} of ${all} memories are embedded with ${pending}`;
    const cleans = former === undefined ? '' : `, the vectors of ${former} are being deleted`;
    console.log(`${organizationId}: searches compare vectors of ${searched}${moves}${cleans}`);
  }
  if (unfinished.length === 0) console.log(`Every organization is embedded with ${embedder.fingerprint}.`);
}

async function reembedAll(deps: Deps): Promise<void> {
  const unfinished = await unfinishedReembeddings(deps);
  if (unfinished.length === 0) console.log(`Every organization is embedded with ${deps.embedder.fingerprint}.`);
  for (const { organizationId } of unfinished) await beginReembedding(deps, organizationId);
  for (const { organizationId, searched } of unfinished) {
    console.log(`${organizationId}: from ${searched} to ${deps.embedder.fingerprint}`);
    const done = await reembed(deps, organizationId, (count) => console.log(`  ${count} memories`));
    console.log(`  done: ${done} memories`);
  }
  for (const organizationId of await deps.store.accounts.organizationIds()) {
    const done = await rereadWords(deps, organizationId);
    if (done > 0) console.log(`${organizationId}: words of ${done} memories in scripts without spaces`);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isExpected = [ConfigError, StoreOpenError, UsageError].some((type) => error instanceof type);
  console.error(isExpected ? (error as Error).message : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
