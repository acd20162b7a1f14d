import { defineConfig } from 'vitest/config';
import { CountReporter } from './server/testing/count-reporter.js';

const { MONGODB_URI: mongodbUri } = process.env;
if (!mongodbUri) {
  throw new Error('Set MONGODB_URI to a deployment for tests: "MONGODB_URI=$(npm run --silent mongodb:up)" starts one');
}

/** What concerns HTTP alone is the same on every store, and tested on the embedded one. */
const OF_HTTP_ALONE = [
  'access-matrix',
  'contract',
  'envelope',
  'every-operation',
  'fuzz',
  'health',
  'metrics',
  'order-of-checks',
  'overload',
].map((name) => `server/app/${name}.test.ts`);

/** What must hold on MongoDB: the contracts of the ports, the application, and several servers on one database. */
export default defineConfig({
  test: {
    include: ['server/**/*.mongodb.test.ts', 'server/app/*.test.ts'],
    exclude: ['dist/**', 'node_modules/**', ...OF_HTTP_ALONE],
    globalSetup: ['server/testing/build.ts'],
    reporters: ['default', new CountReporter()],
    provide: { mongodbUri },
    // The deployment is one, however many files ask it.
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
