import { defineConfig } from 'vitest/config';
import { CountReporter } from './server/testing/count-reporter.js';

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'sdk/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['dist/**', 'node_modules/**'],
    reporters: ['default', new CountReporter()],
    testTimeout: 30_000,
  },
});
