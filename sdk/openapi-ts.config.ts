import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: './openapi.yaml',
  output: { path: './sdk/generated', importFileExtension: '.js', entryFile: false },
  plugins: [
    '@hey-api/typescript',
    { name: '@hey-api/client-fetch' },
    // The module has no client of its own: every MemoryClient passes one.
    { name: '@hey-api/sdk', client: false },
  ],
});
