import { defineConfig } from 'vitest/config';
import { CountReporter } from './server/testing/count-reporter.js';

export default defineConfig({
  test: {
    include: ['{server,sdk,cli,mcp,conformance,examples}/**/*.test.ts'],
    exclude: ['dist/**', 'node_modules/**', '**/*.mongodb.test.ts'],
    reporters: ['default', new CountReporter()],
    // Guards against a hang; what a test measures it asserts itself.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
