import { describe, expect, test } from 'vitest';
import { loadContract } from '../../http/contract/contract.js';
import { foundOrganization, testApp } from '../../testing/app/test-app.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';
import { ENFORCED, subscribe } from '../../testing/fixtures/subscriptions.js';

const { operations } = loadContract();
const memories = operations.filter(({ tags, sessionOnly }) => tags.includes('memories') && !sessionOnly);
const writes = [
  'ingestMemory',
  'upsertMemory',
  'ingestMemoryBatch',
  'importMemories',
  'updateMemory',
  'updateMemoryAlias',
  'deleteMemory',
  'restoreMemory',
  'purgeMemory',
  'deleteMemories',
  'deleteDocument',
  'restoreMemoryVersion',
];
const metered = [
  'ingestMemory',
  'upsertMemory',
  'ingestMemoryBatch',
  'importMemories',
  'exportMemories',
  'getMemoryStats',
  'listMemoryChanges',
  'listRecentMemories',
  'searchMemories',
  'listSimilarMemories',
  'listDocuments',
  'getDocument',
];

const NOT_PAID = ['past_due', 'canceled', 'unpaid', 'incomplete', 'incomplete_expired', 'paused'];

describe.each(memories)('$id', ({ id }) => {
  const { method, path, body } = SAMPLE_REQUESTS[id];
  const isWrite = writes.includes(id);

  test(`${isWrite ? 'answers 402' : 'works'} without a subscription`, async () => {
    const app = await testApp({ billing: ENFORCED });

    const answer = await app.send(method, path, body);

    if (isWrite) expect(answer).toMatchObject({ status: 402, body: { code: 'entitlement_required' } });
    else expect([200, 404]).toContain(answer.status);
  });

  test('works with an active or trialing subscription', async () => {
    const app = await testApp({ billing: ENFORCED });

    for (const status of ['active', 'trialing']) {
      const { organizationId, token } = await foundOrganization(app.deps);
      await subscribe(app.deps, organizationId, { id: `sub_${status}`, status });
      const answer = await app.send(method, path, body, { authorization: `Bearer ${token}` });

      expect([200, 201, 204, 404], status).toContain(answer.status);
    }
  });

  test(`${isWrite ? 'answers 402' : 'works'} with a subscription in any other state`, async () => {
    const app = await testApp({ billing: ENFORCED });

    for (const status of NOT_PAID) {
      const { organizationId, token } = await foundOrganization(app.deps);
      await subscribe(app.deps, organizationId, { id: `sub_${status}`, status });
      const answer = await app.send(method, path, body, { authorization: `Bearer ${token}` });

      expect(isWrite ? [402] : [200, 404], status).toContain(answer.status);
    }
  });

  test(`${isWrite ? 'answers 503' : 'works'} while the provider is not configured, with or without a subscription`, async () => {
    const app = await testApp({ billing: { ...ENFORCED, configured: false } });
    await subscribe(app.deps, app.organizationId);

    const answer = await app.send(method, path, body);

    if (!isWrite) expect([200, 404]).toContain(answer.status);
    else {
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(answer.body.error).toContain('BILLING_SECRET');
    }
  });

  const needsPlan = metered.includes(id);

  test(`${needsPlan ? 'answers 503' : 'works'} if the price belongs to no plan`, async () => {
    const app = await testApp({ billing: ENFORCED });
    await subscribe(app.deps, app.organizationId, { priceIds: ['price_of_old'] });

    const answer = await app.send(method, path, body);

    if (!needsPlan) expect([200, 204, 404]).toContain(answer.status);
    else {
      expect(answer).toMatchObject({
        status: 503,
        body: { code: 'service_unavailable' },
        headers: { 'retry-after': '300' },
      });
      expect(answer.body.error).toContain('SERVICE_PLANS');
    }
  });
});

describe('entitlement', () => {
  test('is required by exactly the writes, and a plan by exactly the metered operations', () => {
    const ids = (chosen: typeof operations) => chosen.map(({ id }) => id).sort();

    expect(ids(operations.filter(({ needsEntitlement }) => needsEntitlement))).toEqual([...writes].sort());
    expect(ids(operations.filter(({ isMetered }) => isMetered))).toEqual([...metered].sort());
  });

  test('is checked before the size of a batch and the validation, and after the JSON', async () => {
    const app = await testApp({ billing: ENFORCED, limits: { batchItems: 1 } });

    const answers = [
      await app.send('POST', '/api/memories/batch', { items: [1, 2], colour: 'red' }),
      await app.send('POST', '/api/memories', { content: '' }),
      await app.send('PATCH', `/api/memories/${app.deps.newId()}`, {}),
      await app.send('POST', '/api/memories', '{'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([402, 402, 402, 400]);
  });

  test('is not required if billing is not enforced, and then no plan limits anyone', async () => {
    const app = await testApp();
    await subscribe(app.deps, app.organizationId, { status: 'canceled', priceIds: [] });

    const answer = await app.send('POST', '/api/memories', { content: 'free' });

    expect(answer.status).toBe(201);
  });

  test('is granted by an active subscription beside one that has ended, whichever was reported last', async () => {
    const app = await testApp({ billing: ENFORCED });
    await subscribe(app.deps, app.organizationId, { id: 'sub_new', changedAt: 5 });
    await subscribe(app.deps, app.organizationId, { id: 'sub_old', status: 'canceled', changedAt: 9 });

    const answer = await app.send('POST', '/api/memories', { content: 'paid' });

    expect(answer.status).toBe(201);
  });

  test('does not affect the management of the organization', async () => {
    const app = await testApp({ billing: ENFORCED });

    const answers = [
      await app.send('PATCH', '/api/organization/settings', { semanticDedupe: false }),
      await app.send('GET', '/api/organization/subscription'),
      await app.send('GET', '/api/organization/usage'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
