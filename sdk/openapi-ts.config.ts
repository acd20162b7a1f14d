import { defineConfig, definePluginConfig, type OpenApi } from '@hey-api/openapi-ts';
import { describeBounds, omitOperationDescriptions } from './bounds.config.js';

/** Makes the generated functions call the client of this file, so that none is generated. */
const httpClient = definePluginConfig({
  name: '../http/http-client.js',
  tags: ['client'],
  config: {},
  handler: () => {},
});

export default defineConfig({
  input: './openapi.yaml',
  parser: {
    patch: {
      input: (spec) => {
        describeBounds(spec as OpenApi.V3_1_X);
        omitOperationDescriptions(spec as OpenApi.V3_1_X);
      },
    },
  },
  output: { path: './sdk/generated', importFileExtension: '.js', entryFile: false },
  plugins: [
    '@hey-api/typescript',
    httpClient(),
    // Every MemoryClient passes its own client, which adds the credential.
    { name: '@hey-api/sdk', client: false, auth: false },
  ],
});
