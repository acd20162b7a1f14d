import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: './openapi.yaml',
  output: { path: './sdk/generated', importFileExtension: '.js', entryFile: false },
  plugins: [
    '@hey-api/typescript',
    { name: '@hey-api/client-fetch' },
    // No client of the module's own: every MemoryClient brings one.
    { name: '@hey-api/sdk', client: false },
  ],
});
