import { MongoClient } from 'mongodb';
import { v7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import type { RateLimitState } from '../../../ports/rate-limiter.js';
import { rateLimiterSuite } from '../../../testing/adapter-suites/jobs/rate-limiter.suite.js';
import { DIMENSIONS } from '../../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { type MongoStore, openMongoStore } from '../store.js';

const databases = new MongoDatabases(DIMENSIONS);

rateLimiterSuite(async (limits) => (await open()).rateLimiter(limits));

test.each([undefined, v7()])(
  'several processes allow the limit, and a thirtieth of it each, to the person %s',
  async (userId) => {
    const uri = await databases.acquire();
    const stores = await Promise.all([open(uri), open(uri), open(uri)]);
    const all = { ingest: 30, search: 30, admin: 30, tools: 30, signIn: 30, signInAddress: 30, signInAccount: 30 };
    const limiters = stores.map((store) => store.rateLimiter({ ...all, search: 120 }));
    const [organizationId, credentialId] = [v7(), v7()];
    const states: RateLimitState[] = [];

    for (let round = 0; round < 15; round += 1) {
      for (const limiter of limiters) {
        const send = () => limiter.consume('search', organizationId, credentialId, userId);
        states.push(...(await Promise.all([send(), send(), send(), send()])));
      }
      await limiters[round % 3]!.flush();
    }
    for (const limiter of limiters) await limiter.flush();

    const allowed = states.filter((state) => state.allowed);
    expect(allowed.length).toBeGreaterThanOrEqual(120);
    expect(allowed.length).toBeLessThanOrEqual(120 + 3 * 4);
    expect(states.slice(120 + 3 * 4).some((state) => state.allowed)).toBe(false);
    expect(await countedIn(uri, userId && credentialId)).toBe(states.length);
  },
);

async function countedIn(uri: string, credentialId: string | undefined): Promise<number | undefined> {
  const client = await MongoClient.connect(uri);
  onTestFinished(() => client.close());
  const window = await client.db().collection('rate_limits').findOne();
  return credentialId === undefined ? window?.count : window?.by[credentialId];
}

async function open(uri?: string): Promise<MongoStore> {
  const now = () => Date.now() * 1_000;
  const store = await openMongoStore({ uri: uri ?? (await databases.acquire()), dimensions: DIMENSIONS, now });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}
