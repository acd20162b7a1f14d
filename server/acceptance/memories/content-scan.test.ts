import { describe, expect, test } from 'vitest';
import { scanTexts } from '../../domain/content-scan/scan.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

const KEY = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
const MEMORIES = '/api/memories';

describe('the content scan', () => {
  test('rejects an ingest, and answers the kinds of match but not the matched text', async () => {
    const app = await scanningApp();

    const answer = await app.send('POST', MEMORIES, { content: `${KEY} and 4111 1111 1111 1111 of ana@example.com` });

    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'content_rejected', reasons: ['api_key', 'payment_card', 'email'] },
    });
    expect(answer.text).not.toMatch(/ghp_|4111|ana/);
    expect(JSON.stringify(app.logged)).not.toMatch(/ghp_|4111|ana@/);
    expect(await total(app)).toBe(0);
  });

  test.each([
    ['a value', { owner: 'ana@example.com' }],
    ['a key', { 'ana@example.com': true }],
    ['a nested value', { team: { members: ['bob', 'ana@example.com'] } }],
  ])('scans metadata: %s', async (_, metadata) => {
    const app = await scanningApp();

    const answer = await app.send('POST', MEMORIES, { content: 'a note', metadata });

    expect(answer).toMatchObject({ status: 422, body: { code: 'content_rejected', reasons: ['email'] } });
  });

  test('rejects an upsert', async () => {
    const app = await scanningApp();

    const answer = await app.send('PUT', MEMORIES, { externalKey: 'k', content: `the key is ${KEY}` });

    expect(answer).toMatchObject({ status: 422, body: { code: 'content_rejected', reasons: ['api_key'] } });
    expect(await total(app)).toBe(0);
  });

  test('rejects an update of the content and one of the metadata, and changes nothing', async () => {
    const app = await scanningApp();
    const { body } = await app.send('POST', MEMORIES, { content: 'harmless' });
    const path = `${MEMORIES}/${(body as { id: string }).id}`;

    const content = await app.send('PATCH', path, { content: `now with ${KEY}` });
    const metadata = await app.send('PUT', path, { metadata: { card: '4111111111111111' } });

    expect(content).toMatchObject({ status: 422, body: { reasons: ['api_key'] } });
    expect(metadata).toMatchObject({ status: 422, body: { reasons: ['payment_card'] } });
    expect((await app.send('GET', path)).body).toMatchObject({ content: 'harmless', metadata: {} });
  });

  test('rejects the items of a batch one by one', async () => {
    const app = await scanningApp();
    const items = [{ content: 'first' }, { content: KEY }, { externalKey: 'k', content: 'ana@example.com' }];

    const answer = await app.send('POST', `${MEMORIES}/batch`, { items: [...items, { content: 'last' }] });

    expect(answer).toMatchObject({
      status: 200,
      body: {
        results: [
          { index: 0, outcome: 'created' },
          { index: 1, error: { code: 'content_rejected' } },
          { index: 2, error: { code: 'content_rejected' } },
          { index: 3, outcome: 'created' },
        ],
        summary: { ok: 2, failed: 2 },
      },
    });
    expect(answer.text).not.toContain(KEY);
  });

  test('runs after validation and before stored memories are compared', async () => {
    const app = await scanningApp();
    await app.send('PUT', MEMORIES, { externalKey: 'taken', content: 'one' });

    const invalid = await app.send('POST', MEMORIES, { content: KEY, metadata: { chunkIndex: 0 } });
    const conflict = await app.send('POST', MEMORIES, { content: KEY, externalKey: 'taken' });
    const unknown = await app.send('PATCH', `${MEMORIES}/${app.deps.newId()}`, { content: KEY });

    expect(invalid).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect([conflict, unknown].map(({ body }) => (body as { code: string }).code)).toEqual([
      'content_rejected',
      'content_rejected',
    ]);
  });

  test('fails closed: stores nothing that cannot be scanned', async () => {
    const broken = () => {
      throw new Error('the scanner broke');
    };
    const app = await testApp({ contentScan: broken });

    const answer = await app.send('POST', MEMORIES, { content: 'harmless' });

    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(await total(app)).toBe(0);
  });

  test('accepts everything if it is switched off', async () => {
    const app = await testApp({ contentScan: undefined });

    const answer = await app.send('POST', MEMORIES, { content: `${KEY} of ana@example.com` });

    expect(answer.status).toBe(201);
  });
});

function scanningApp(): Promise<TestApp> {
  return testApp({ contentScan: scanTexts });
}

async function total(app: TestApp): Promise<number> {
  const { body } = await app.send('GET', `${MEMORIES}/stats`);
  return (body as { meta: { total: number } }).meta.total;
}
