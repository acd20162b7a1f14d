import { fileURLToPath } from 'node:url';

/** What the packages of this repository export → their sources, so that tests see a change before it is built. */
export const SOURCES = [
  ['@memory-service/sdk', 'sdk/index.ts'],
  ['@memory-service/sdk/archive', 'sdk/archive.ts'],
  ['@memory-service/sdk/constants', 'sdk/constants.ts'],
  ['@memory-service/sdk/webhooks', 'sdk/webhooks.ts'],
  ['@memory-service/sdk/testing', 'sdk/testing/index.ts'],
  ['@memory-service/mcp/server', 'mcp/server.ts'],
  ['@memory-service/mcp/session', 'mcp/session.ts'],
  ['@memory-service/mcp/catalog', 'mcp/tools/catalog.ts'],
].map(([name, path]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(`../../../${path}`, import.meta.url)),
}));
