import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { CountReporter } from './server/testing/runner/count-reporter.js';
import { LongestFirst } from './server/testing/runner/longest-first.js';
import { SOURCES } from './server/testing/runner/sources.js';

export default defineConfig({
  resolve: { alias: SOURCES },
  test: {
    include: ['{server,sdk,cli,mcp,ai-sdk,langgraph,conformance,examples}/**/*.test.ts', '.ci/**/*.test.mjs'],
    exclude: ['**/dist/**', '**/node_modules/**', '**/*.mongodb.test.ts'],
    globalSetup: ['server/testing/runner/build.ts'],
    setupFiles: ['server/testing/runner/process-state.ts'],
    // Each file would otherwise load the same modules again: see process-state.ts.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new CountReporter()],
    // Most files wait for a process or a disk at times, so one more than processors takes a tenth less time.
    maxWorkers: availableParallelism() + 1,
    // Guards against a hang; what a test measures it asserts itself.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
