import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

const PATH = '/api/memories/batch';

describe('ingestMemoryBatch', () => {
  test('upserts items with a key and ingests the rest, and answers each in its place', async () => {
    const app = await testApp();
    await app.send('POST', '/api/memories', { content: 'known' });

    const answer = await app.send('POST', PATH, {
      items: [{ content: 'new', metadata: { n: 1 } }, { content: 'known' }, { content: 'keyed', externalKey: 'k' }],
    });

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      results: [
        { index: 0, content: 'new', metadata: { n: 1 }, outcome: 'created' },
        { index: 1, outcome: 'deduplicated', dedupe: 'exact' },
        { index: 2, externalKey: 'k', outcome: 'created' },
      ],
      summary: { ok: 3, failed: 0 },
    });
  });

  test('answers an invalid item with its own code, and writes the others', async () => {
    const app = await testApp();
    const { body } = await app.send('PUT', '/api/memories', { content: 'gone', externalKey: 'gone' });
    await app.send('DELETE', `/api/memories/${body.id}`);
    await app.send('POST', '/api/memories', { content: 'held', externalKey: 'held' });

    const answer = await app.send('POST', PATH, {
      items: [
        { content: '' },
        { content: 'a', colour: 'red' },
        {},
        { content: 'a', subjectKey: 1 },
        { content: 'back', externalKey: 'gone' },
        { content: 'held', externalKey: 'other' },
        { content: 'x'.repeat(100_001) },
        'no object',
        null,
        { content: 'fine' },
      ],
    });

    expect(answer.status).toBe(200);
    expect(answer.body.summary).toEqual({ ok: 1, failed: 9 });
    expect(codes(answer.body)).toEqual([
      'validation_failed',
      'validation_failed',
      'validation_failed',
      'subject_key_invalid',
      'not_found',
      'content_conflict',
      'validation_failed',
      'validation_failed',
      'validation_failed',
      undefined,
    ]);
    expect(answer.body.results).toContainEqual({
      index: 1,
      error: { code: 'validation_failed', message: 'colour is not a known field' },
    });
  });

  test.each([false, 'false', '0'])(
    'stops after the first failure if continueOnError is %j',
    async (continueOnError) => {
      const app = await testApp();

      const items = [{ content: 'first' }, { content: ' ' }, { content: 'never' }];
      const answer = await app.send('POST', PATH, { items, continueOnError });

      expect(answer.body).toMatchObject({
        results: [{ index: 0 }, { index: 1, error: {} }],
        summary: { ok: 1, failed: 1 },
      });
      expect(await contents(app)).toEqual(['first']);
    },
  );

  test.each([true, 'true', '1', undefined])(
    'continues after a failure if continueOnError is %j',
    async (continueOnError) => {
      const app = await testApp();

      const answer = await app.send('POST', PATH, {
        items: [{ content: ' ' }, { content: 'second' }],
        continueOnError,
      });

      expect(answer.body.summary).toEqual({ ok: 1, failed: 1 });
    },
  );

  test.each([1, 0, 'no', null])('rejects %j as continueOnError with 422', async (continueOnError) => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { items: [{ content: 'a' }], continueOnError });

    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'continueOnError' }] } });
  });

  test.each<[string, unknown, string]>([
    ['missing items', {}, 'items'],
    ['items that are not a list', { items: { content: 'a' } }, 'items'],
    ['an empty list', { items: [] }, 'items'],
    ['an unknown field', { items: [{ content: 'a' }], atomic: true }, 'atomic'],
  ])('rejects %s with 422 as a whole', async (_, body, path) => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, body);

    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', details: [{ path }] } });
    expect(await contents(app)).toEqual([]);
  });

  test('accepts as many items as allowed and rejects one more with 413, whatever the items are', async () => {
    const app = await testApp();
    const items = (count: number) => Array.from({ length: count }, (_, index) => ({ content: `number ${index}` }));

    const most = await app.send('POST', PATH, { items: items(50) });
    const over = await app.send('POST', PATH, { items: Array(51).fill(null) });

    expect(most).toMatchObject({ status: 200, body: { summary: { ok: 50, failed: 0 } } });
    expect(over).toMatchObject({ status: 413, body: { code: 'batch_too_large', max: 50 } });
  });

  test('accepts a body that is too large for one memory', async () => {
    const app = await testApp({ embedder: new LetterEmbedder() });

    const items = Array.from({ length: 30 }, (_, index) => ({ content: `${index} ${'x'.repeat(90_000)}` }));
    const answer = await app.send('POST', PATH, { items });

    expect(answer).toMatchObject({ status: 200, body: { summary: { failed: 0 } } });
  });

  test('answers 503 and stores nothing if an item cannot be embedded', async () => {
    const embedder = new LetterEmbedder();
    const app = await testApp({ embedder });
    embedder.down = true;

    const answer = await app.send('POST', PATH, { items: [{ content: 'a' }, { content: 'b' }] });

    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(await contents(app)).toEqual([]);
  });

  test('counts as one request of the rate limit', async () => {
    const app = await testApp();

    await app.send('POST', PATH, { items: [{ content: 'a' }, { content: 'b' }, { content: 'c' }] });

    expect(app.rateLimiter.consumed).toMatchObject([{ limitClass: 'ingest' }]);
  });
});

function codes({ results }: Record<string, unknown>): (string | undefined)[] {
  return (results as { error?: { code: string } }[]).map(({ error }) => error?.code);
}

async function contents(app: TestApp): Promise<string[]> {
  const { body } = await app.send('GET', '/api/memories/recent');
  return (body.results as { content: string }[]).map(({ content }) => content);
}
