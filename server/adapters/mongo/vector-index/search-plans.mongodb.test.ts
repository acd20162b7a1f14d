import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import {
  anOrganization,
  DIMENSIONS,
  FINGERPRINT,
  OTHER_FINGERPRINT,
  store,
} from '../../../testing/fixtures/memories.js';
import { MongoDatabases } from '../../../testing/mongodb/mongo-databases.js';
import { Collections } from '../engine/collections.js';
import { type SearchPlan, SearchPlans } from './search-plans.js';

const databases = new MongoDatabases(DIMENSIONS);
const EXACT_ROWS = 2;
const MINUTE_MS = 60_000;
const SCOPE = { filter: { metadata: [{ key: 'kind', anyOf: ['a'] }] }, includeDeleted: false };

test('the matches of a filter are counted once a minute, and again for another embedder', async () => {
  const { plans, clock, counted, organizationId, collections } = await open();
  const runs: boolean[] = [];
  const search = async (scope = SCOPE) => {
    const run = async (plan: SearchPlan) => runs.push(plan.isSmall);
    await plans.along(organizationId, scope, run, { maxTimeMS: 9_000 });
    return counted();
  };

  const counts = [await search(), await search()];
  clock.nowMs += MINUTE_MS - 1;
  counts.push(await search());
  clock.nowMs += 1;
  counts.push(await search(), await search());
  await collections.organizations.updateMany({}, { $set: { 'settings.embeddingFingerprint': OTHER_FINGERPRINT } });
  counts.push(await search(), await search());

  expect(counts).toEqual([1, 0, 0, 1, 0, 1, 0]);
  // The search by the plan of the former embedder is repeated.
  expect(runs).toEqual([false, false, false, false, false, false, true, true]);
});

test('a search without a filter, or in a small organization, counts nothing', async () => {
  const { plans, counted, organizationId, other } = await open();

  for (const [id, filter] of [
    [organizationId, NO_FILTER],
    [other, SCOPE.filter],
  ] as const) {
    await plans.along(id, { filter, includeDeleted: false }, async () => undefined, { maxTimeMS: 9_000 });
  }

  expect(counted()).toBe(0);
});

async function open() {
  const uri = await databases.acquire();
  const tested = databases.open(uri, { now: () => Date.now() * 1_000 });
  const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
  const memory = { metadata: { kind: 'a' }, fingerprint: FINGERPRINT };
  await store(tested, organizationId, memory, memory, memory, memory);
  const client = new MongoClient(uri, { monitorCommands: true });
  onTestFinished(() => client.close());
  let aggregates = 0;
  client.on('commandStarted', ({ commandName }) => {
    if (commandName === 'aggregate') aggregates += 1;
  });
  const counted = () => {
    const count = aggregates;
    aggregates = 0;
    return count;
  };
  const clock = { nowMs: 0 };
  const collections = new Collections(client.db());
  const plans = new SearchPlans(collections, EXACT_ROWS, () => clock.nowMs);
  return { plans, clock, counted, organizationId, other, collections };
}
