import { defineConfig } from 'vitest/config';
import { CountReporter } from './server/testing/count-reporter.js';
import { LongestFirst } from './server/testing/longest-first.js';

/** What must hold on MongoDB: the contracts of the ports, the application, and several servers on one database. */
export default defineConfig({
  test: {
    include: ['server/**/*.mongodb.test.ts', 'server/app/*.test.ts'],
    exclude: ['dist/**', 'node_modules/**'],
    globalSetup: ['server/testing/build.ts', 'server/testing/mongo-run.ts'],
    setupFiles: ['server/testing/left-as-found.ts'],
    // Every file would load the same modules anew: see left-as-found.ts.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new CountReporter()],
    // The deployment is one, however many files ask it.
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
