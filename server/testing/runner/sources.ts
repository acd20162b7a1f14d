import { fileURLToPath } from 'node:url';

/** Maps the exports of this repository's packages to their sources, so tests see changes without a build. */
export const SOURCES = [
  ['@memory-service/sdk', 'sdk/index.ts'],
  ['@memory-service/sdk/archive', 'sdk/archive.ts'],
  ['@memory-service/sdk/constants', 'sdk/constants.ts'],
  ['@memory-service/sdk/webhooks', 'sdk/webhooks.ts'],
  ['@memory-service/sdk/testing', 'sdk/testing/index.ts'],
  ['@memory-service/mcp/binding', 'mcp/binding/binding.ts'],
  ['@memory-service/mcp/server', 'mcp/server.ts'],
  ['@memory-service/mcp/session', 'mcp/session.ts'],
  ['@memory-service/mcp/catalog', 'mcp/tools/catalog.ts'],
].map(([name, path]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(`../../../${path}`, import.meta.url)),
}));
