import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

const BATCH = '/api/memories/batch';
const SPENT = { allowed: false, limit: 60, remaining: 0, resetMs: 1_000 };
const NO_JSON_TYPE = { 'content-type': 'text/plain' };

/** A body that is too large, not JSON, and not a batch. */
const HUGE = '['.repeat(5_000);

async function appWithSmallBodies(): Promise<TestApp> {
  return testApp({ limits: { batchBodyBytes: 1_000, bodyBytes: 1_000, batchItems: 2 } });
}

describe('if a request has several faults, the service reports', () => {
  test('an unknown path before the credential', async () => {
    const app = await appWithSmallBodies();

    const answer = await app.send('POST', '/api/nothing', HUGE, { ...NO_JSON_TYPE, authorization: undefined });

    expect(answer.status).toBe(404);
  });

  test('an unsupported method before the credential', async () => {
    const app = await appWithSmallBodies();

    const answer = await app.send('PATCH', BATCH, HUGE, { ...NO_JSON_TYPE, authorization: undefined });

    expect(answer.status).toBe(405);
  });

  test('the credential before the organization', async () => {
    const app = await appWithSmallBodies();
    app.rateLimiter.state = SPENT;

    const headers = { ...NO_JSON_TYPE, authorization: 'Bearer x', 'x-organization-id': 'nobody' };
    const answer = await app.send('POST', BATCH, HUGE, headers);

    expect(answer.status).toBe(401);
  });

  test('the organization before the ability', async () => {
    const app = await appWithSmallBodies();
    app.rateLimiter.state = SPENT;
    const { token } = await foundOrganization(app.deps, { abilities: [] });

    const headers = { ...NO_JSON_TYPE, authorization: `Bearer ${token}`, 'x-organization-id': app.organizationId };
    const answer = await app.send('POST', BATCH, HUGE, headers);

    expect(answer).toMatchObject({ status: 403, body: { code: 'organization_forbidden' } });
  });

  test('the ability before the rate limit, which does not count the request', async () => {
    const app = await appWithSmallBodies();
    app.rateLimiter.state = SPENT;
    const { token } = await foundOrganization(app.deps, { abilities: ['memory:search'] });

    const answer = await app.send('POST', BATCH, HUGE, { ...NO_JSON_TYPE, authorization: `Bearer ${token}` });

    expect(answer).toMatchObject({ status: 403, body: { code: 'ability_denied' } });
    expect(app.rateLimiter.consumed).toEqual([]);
  });

  test('the rate limit before the content type', async () => {
    const app = await appWithSmallBodies();
    app.rateLimiter.state = SPENT;

    const answer = await app.send('POST', BATCH, HUGE, NO_JSON_TYPE);

    expect(answer.status).toBe(429);
  });

  test('the content type before the size', async () => {
    const app = await appWithSmallBodies();

    const answer = await app.send('POST', BATCH, HUGE, NO_JSON_TYPE);

    expect(answer.status).toBe(415);
  });

  test('the size before the JSON', async () => {
    const app = await appWithSmallBodies();

    const answer = await app.send('POST', BATCH, HUGE);

    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  test('the JSON before the size of the batch', async () => {
    const app = await appWithSmallBodies();

    const answer = await app.send('POST', `${BATCH}?unknown=1`, '{"items":[1,2,3]');

    expect(answer.status).toBe(400);
  });

  test('the size of the batch before the validation', async () => {
    const app = await appWithSmallBodies();

    const answer = await app.send('POST', `${BATCH}?unknown=1`, { items: [1, 2, 3], colour: 'red' });

    expect(answer).toMatchObject({ status: 413, body: { code: 'batch_too_large', max: 2 } });
  });

  test('the validation before a conflict with stored memories', async () => {
    const app = await appWithSmallBodies();

    const answer = await app.send('PATCH', `/api/memories/${app.deps.newId()}`, { content: 'a', colour: 'red' });

    expect(answer.status).toBe(422);
  });

  test('the rules for content before a conflict with stored memories', async () => {
    const app = await appWithSmallBodies();

    const answer = await app.send('PATCH', `/api/memories/${app.deps.newId()}`, { content: ' ' });

    expect(answer.status).toBe(422);
  });

  test('a conflict with stored memories before the embedding', async () => {
    const embedder = new LetterEmbedder();
    const app = await testApp({ embedder });
    await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'one' });
    embedder.down = true;

    const missing = await app.send('PATCH', `/api/memories/${app.deps.newId()}`, { content: 'new' });
    const replay = await app.send('POST', '/api/memories', { content: 'one', metadata: { seen: true } });

    expect(missing.status).toBe(404);
    expect(replay).toMatchObject({ status: 200, body: { outcome: 'deduplicated' } });
  });
});
