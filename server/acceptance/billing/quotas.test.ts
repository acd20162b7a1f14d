import { describe, expect, test } from 'vitest';
import type { Plan } from '../../domain/billing/plan.js';
import { scanTexts } from '../../domain/content-scan/scan.js';
import { type TestApp, type TestOverrides, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { capped, subscribe } from '../../testing/fixtures/subscriptions.js';

const USAGE = '/api/organization/usage';
const ANCHOR = Date.UTC(2026, 0, 15, 10, 30) * 1_000;
const OVER = { status: 429, body: { code: 'quota_exceeded' } };

async function cappedApp(caps: Partial<Plan>, overrides: TestOverrides = {}): Promise<TestApp> {
  const app = await testApp({ billing: capped(caps), embedder: new LetterEmbedder(), ...overrides });
  await subscribe(app.deps, app.organizationId, { anchorAt: ANCHOR });
  return app;
}

const letters = (count: number) => Array.from({ length: count }, (_, at) => 'abcdefghijklmnopqrstuvwxyz'.charAt(at));

describe('the monthly cap of ingests', () => {
  test('accepts exactly the cap, and reports when the next period starts', async () => {
    const app = await cappedApp({ ingestPerMonth: 2 }, { now: () => Date.UTC(2026, 2, 20) * 1_000 });

    const answers = [];
    for (const content of letters(3)) answers.push(await app.send('POST', '/api/memories', { content }));

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(answers[2]?.body).toMatchObject({ code: 'quota_exceeded', resetsAt: '2026-04-15T10:30:00.000000Z' });
    expect(answers[2]?.headers).not.toHaveProperty('retry-after');
    expect((await app.send('GET', USAGE)).body.ingest).toEqual({ used: 2, cap: 2 });
  });

  test('starts again with the next period of the subscription', async () => {
    let now = Date.UTC(2026, 2, 15, 10, 29) * 1_000;
    const app = await cappedApp({ ingestPerMonth: 1 }, { now: () => now });
    const before = [
      await app.send('POST', '/api/memories', { content: 'a' }),
      await app.send('POST', '/api/memories', { content: 'b' }),
    ];

    now = Date.UTC(2026, 2, 15, 10, 30) * 1_000;
    const after = await app.send('POST', '/api/memories', { content: 'b' });

    expect(before.map(({ status }) => status)).toEqual([201, 429]);
    expect(after.status).toBe(201);
    expect((await app.send('GET', USAGE)).body).toMatchObject({
      period: { startsAt: '2026-03-15T10:30:00.000000Z' },
      ingest: { used: 1, cap: 1 },
    });
  });

  test('accepts exact replays, by content and by key, and rejects merges', async () => {
    const app = await cappedApp({ ingestPerMonth: 2 });
    await app.send('POST', '/api/memories', { content: 'alpha' });
    await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'beta' });

    const free = [
      await app.send('POST', '/api/memories', { content: 'alpha', metadata: { seen: true } }),
      await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'beta' }),
    ];
    const counted = [
      await app.send('POST', '/api/memories', { content: 'ALPHA!' }),
      await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'gamma' }),
    ];

    expect(free).toMatchObject([{ body: { outcome: 'deduplicated' } }, { body: { outcome: 'deduplicated' } }]);
    expect(counted).toMatchObject([OVER, OVER]);
    expect((await app.send('GET', USAGE)).body.ingest).toEqual({ used: 2, cap: 2 });
  });

  test('accepts the items of a batch in order until it is reached', async () => {
    const app = await cappedApp({ ingestPerMonth: 3 });
    await app.send('POST', '/api/memories', { content: 'a' });
    const items = ['b', 'a', '', 'c', 'd', 'b', 'e'].map((content) => ({ content }));

    const { status, body } = await app.send('POST', '/api/memories/batch', { items });

    const results = body.results as { outcome?: string; error?: { code: string } }[];
    expect(status).toBe(200);
    expect(results.map(({ outcome, error }) => outcome ?? error?.code)).toEqual([
      'created',
      'deduplicated',
      'validation_failed',
      'created',
      'quota_exceeded',
      'deduplicated',
      'quota_exceeded',
    ]);
    expect(body.summary).toEqual({ ok: 4, failed: 3 });
    expect((await app.send('GET', USAGE)).body.ingest).toEqual({ used: 3, cap: 3 });
  });

  test('answers a batch like a single ingest if nothing is left', async () => {
    const app = await cappedApp({ ingestPerMonth: 1 });
    await app.send('POST', '/api/memories', { content: 'a' });

    const refused = await app.send('POST', '/api/memories/batch', { items: [{ content: 'b' }, { content: 'c' }] });
    const replayed = await app.send('POST', '/api/memories/batch', { items: [{ content: 'b' }, { content: 'a' }] });

    expect(refused).toMatchObject(OVER);
    expect(replayed).toMatchObject({ status: 200, body: { summary: { ok: 1, failed: 1 } } });
  });

  test('is checked after validation and before stored memories and the embedding', async () => {
    const embedder = new LetterEmbedder();
    const app = await cappedApp({ ingestPerMonth: 3 }, { embedder });
    const { body } = await app.send('PUT', '/api/memories', { externalKey: 'gone', content: 'a' });
    await app.send('DELETE', `/api/memories/${body.id}`);
    await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'b' });
    await app.send('POST', '/api/memories', { content: 'c' });
    embedder.down = true;

    const answers = [
      await app.send('POST', '/api/memories', { content: '' }),
      await app.send('PUT', '/api/memories', { externalKey: 'gone', content: 'd' }),
      await app.send('POST', '/api/memories', { externalKey: 'k', content: 'e' }),
      await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'c' }),
      await app.send('POST', '/api/memories', { content: 'f' }),
      await app.send('POST', '/api/memories/batch', { items: [{ content: 'g' }] }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([422, 429, 429, 429, 429, 429]);
  });

  test('is checked after the content scan', async () => {
    const app = await cappedApp({ ingestPerMonth: 0 }, { contentScan: scanTexts });

    const single = await app.send('POST', '/api/memories', { content: 'write to ana@example.test' });
    const batch = await app.send('POST', '/api/memories/batch', {
      items: [{ content: 'write to ana@example.test' }, { content: 'a' }],
    });

    expect(single).toMatchObject({ status: 422, body: { code: 'content_rejected' } });
    expect(batch).toMatchObject({
      status: 200,
      body: { results: [{ error: { code: 'content_rejected' } }, { error: { code: 'quota_exceeded' } }] },
    });
  });

  test('does not count updates and deletes', async () => {
    const app = await cappedApp({ ingestPerMonth: 1 });
    const { body } = await app.send('POST', '/api/memories', { content: 'a' });

    const answers = [
      await app.send('PATCH', `/api/memories/${body.id}`, { content: 'b' }),
      await app.send('DELETE', `/api/memories/${body.id}`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 204]);
  });

  test('is not exceeded by requests at the same time', async () => {
    const app = await cappedApp({ ingestPerMonth: 10 });

    const answers = await Promise.all(letters(26).map((content) => app.send('POST', '/api/memories', { content })));

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(16);
    expect((await app.send('GET', USAGE)).body.ingest).toEqual({ used: 10, cap: 10 });
  });
});

describe('the monthly cap of searches', () => {
  const reads = [
    ['POST', '/api/memories/search', { query: 'a' }],
    ['GET', '/api/memories/export', undefined],
    ['GET', '/api/memories/stats', undefined],
    ['GET', '/api/memories/changes?since=2026-01-01', undefined],
    ['GET', '/api/memories/recent', undefined],
  ] as const;

  test.each(reads)('counts and limits %s %s', async (method, path, body) => {
    const app = await cappedApp({ searchPerMonth: 1 });

    const [first, second] = [await app.send(method, path, body), await app.send(method, path, body)];

    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 429, body: { code: 'quota_exceeded', resetsAt: expect.any(String) } });
    expect((await app.send('GET', USAGE)).body.search).toEqual({ used: 1, cap: 1 });
  });

  test('does not count get and writes', async () => {
    const app = await cappedApp({ searchPerMonth: 0 });
    const { body } = await app.send('POST', '/api/memories', { content: 'a' });

    const answer = await app.send('GET', `/api/memories/${body.id}`);

    expect(answer.status).toBe(200);
  });

  test('does not count reads that are rejected or fail', async () => {
    const embedder = new LetterEmbedder();
    const app = await cappedApp({ searchPerMonth: 1 }, { embedder });
    embedder.down = true;
    const failed = await app.send('POST', '/api/memories/search', { query: 'a' });
    embedder.down = false;
    const refused = await app.send('GET', '/api/memories/recent?limit=0');
    app.store.down = 'memories';
    const unavailable = await app.send('GET', '/api/memories/recent');
    app.store.down = 'nothing';

    const served = await app.send('GET', '/api/memories/recent');

    expect([failed, refused, unavailable, served].map(({ status }) => status)).toEqual([503, 422, 503, 200]);
  });

  test('is checked after validation', async () => {
    const app = await cappedApp({ searchPerMonth: 0 });

    const answer = await app.send('POST', '/api/memories/search', { query: '' });

    expect(answer.status).toBe(422);
  });
});
