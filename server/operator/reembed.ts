import { ConfigError, readConfig } from '../config/config.js';
import { createContainer } from '../container.js';
import { StoreOpenError } from '../ports/store.js';
import { organizationsEmbeddedOtherwise, reembed } from '../services/upkeep/reembed.js';

/** Re-embeds every organization whose vectors another embedder made. The server must be stopped. */
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
}

try {
  await main();
} catch (error) {
  console.error(error instanceof ConfigError || error instanceof StoreOpenError ? error.message : error);
  process.exitCode = 1;
}
