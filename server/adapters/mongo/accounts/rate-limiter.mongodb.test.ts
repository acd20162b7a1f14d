import { onTestFinished } from 'vitest';
import { rateLimiterSuite } from '../../../testing/adapter-suites/jobs/rate-limiter.suite.js';
import { DIMENSIONS } from '../../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { openMongoStore } from '../store.js';

const databases = new MongoDatabases(DIMENSIONS);

rateLimiterSuite(async (limits) => {
  const now = () => Date.now() * 1_000;
  const store = await openMongoStore({ uri: await databases.acquire(), dimensions: DIMENSIONS, now });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store.rateLimiter(limits);
});
