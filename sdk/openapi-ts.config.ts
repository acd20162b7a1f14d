import { defineConfig, definePluginConfig } from '@hey-api/openapi-ts';

/** Makes the generated functions call the client of this file, so that none is generated. */
const httpClient = definePluginConfig({
  name: '../http/http-client.js',
  tags: ['client'],
  config: {},
  handler: () => {},
});

export default defineConfig({
  input: './openapi.yaml',
  output: { path: './sdk/generated', importFileExtension: '.js', entryFile: false },
  plugins: [
    '@hey-api/typescript',
    httpClient(),
    // Every MemoryClient passes its own client, which adds the credential.
    { name: '@hey-api/sdk', client: false, auth: false },
  ],
});
