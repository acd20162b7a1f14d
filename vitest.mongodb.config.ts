import { defineConfig } from 'vitest/config';
import { CountReporter } from './server/testing/runner/count-reporter.js';
import { LongestFirst } from './server/testing/runner/longest-first.js';
import { SOURCES } from './server/testing/runner/sources.js';

/** The tests on MongoDB: the adapter suites of the ports, the application, each page of the dashboard for each role, and several servers. */
export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    include: ['server/**/*.mongodb.test.ts', 'server/acceptance/*/*.test.ts', 'server/dashboard/crawl.browser.test.ts'],
    exclude: [
      '**/dist/**',
      '**/node_modules/**',
      'server/acceptance/processes/!(*.mongodb).test.ts',
      // Bodies are rejected before the store is used.
      'server/acceptance/requests/every-body.test.ts',
    ],
    globalSetup: ['server/testing/runner/build.ts', 'server/testing/runner/mongo-run.ts'],
    setupFiles: ['server/testing/runner/process-state.ts'],
    // Each file would otherwise load the same modules again: see process-state.ts.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new CountReporter()],
    // All files share one deployment.
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
