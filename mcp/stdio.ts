#!/usr/bin/env node
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { MemoryClient } from '../sdk/index.js';
import { readContract } from './contract.js';
import { createToolServer } from './server.js';
import { organizationHeader, type Session } from './session.js';
import { readCatalog } from './tools/catalog.js';

try {
  await main();
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 1;
}

/** Speaks the protocol on standard input and output; whatever else there is to say goes to standard error. */
async function main(): Promise<void> {
  const document = await readContract();
  const report = (error: unknown) => console.error(error instanceof Error ? error.message : error);
  const server = createToolServer(openSession(), {
    catalog: readCatalog(document),
    version: versionOf(document),
    report,
  });
  await server.connect(new StdioServerTransport());
}

/** The one caller of this process: MEMORY_BASE_URL, MEMORY_TOKEN and, if needed, MEMORY_ORGANIZATION_ID. */
function openSession(): Session {
  const own = process.env.MEMORY_ORGANIZATION_ID || undefined;
  const client = new MemoryClient();
  return {
    client: (named) =>
      named === undefined ? client : new MemoryClient({ organizationId: organizationHeader(own, named) }),
    organizationId: async () => own,
  };
}

/** The contract carries the version of the package. */
function versionOf(document: Readonly<Record<string, unknown>>): string {
  const { info } = document as { info?: { version?: string } };
  return info?.version ?? 'unknown';
}
