import { connectionOf, MemoryClient } from '@memory-service/sdk';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from './server.js';
import { organizationHeader, type ToolSession } from './session.js';
import { readTools, toCatalog } from './tools/catalog.js';

/** Few retries, since a model waits for its tools. */
const RETRIES = { maxRetries: 1, maxRetryDelayMs: 5_000 };

try {
  await main();
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 1;
}

/** Serves the protocol on standard input and output. Everything else goes to standard error. */
async function main(): Promise<void> {
  const tools = readTools();
  const report = (error: unknown) => console.error(error instanceof Error ? error.message : error);
  const session = openSession();
  const options = { catalog: toCatalog(tools), version: tools.version, report };
  serveStdio(() => createToolServer(session, options), { onerror: report });
}

/** Opens the session of this process from the environment. */
function openSession(): ToolSession {
  const { organizationId: own, ...connection } = connectionOf({});
  const open = (organizationId: string | undefined) => new MemoryClient({ ...connection, ...RETRIES, organizationId });
  const client = open(own);
  let resolved = own;
  return {
    client: (named) => (named === undefined ? client : open(organizationHeader(own, named))),
    async organizationId() {
      // Requested once, since the credential of this process never changes.
      resolved ??= await client.session.get().then(
        ({ organization }) => organization?.id,
        () => undefined,
      );
      return resolved;
    },
  };
}
