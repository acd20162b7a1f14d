import { ConfigError, readConfig } from '../config/config.js';
import { createContainer } from '../container.js';
import { StoreOpenError } from '../ports/store-errors.js';
import { organizationsEmbeddedOtherwise, reembed } from '../services/upkeep/reembed.js';
import { rereadWords } from '../services/upkeep/reread-words.js';

/**
 * Re-embeds every organization whose vectors another embedder made, and indexes words again that an earlier release
 * indexed otherwise. A server on the embedded store must be stopped.
 */
async function main(): Promise<void> {
  await using container = await createContainer(readConfig(process.env), () => {
    // A failing store rejects pending operations, which ends the run.
  });
  const { deps } = container;
  const found = await organizationsEmbeddedOtherwise(deps);
  if (found.length === 0) console.log(`Every organization is embedded with ${deps.embedder.fingerprint}.`);
  for (const { organizationId, fingerprint } of found) {
    console.log(`${organizationId}: from ${fingerprint} to ${deps.embedder.fingerprint}`);
    const done = await reembed(deps, organizationId, (count) => console.log(`  ${count} memories`));
    console.log(`  done: ${done} memories`);
  }
  for (const organizationId of await deps.store.accounts.organizationIds()) {
    const done = await rereadWords(deps, organizationId);
    if (done > 0) console.log(`${organizationId}: words of ${done} memories in scripts without spaces`);
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof StoreOpenError ? error.message : error);
  process.exitCode = 1;
}
