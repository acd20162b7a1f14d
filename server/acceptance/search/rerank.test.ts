import { expect, test } from 'vitest';
import { EmbeddingUnavailableError } from '../../ports/embedder.js';
import { testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

const PATH = '/api/memories/search';

test('a search with rerank is ordered and explained by the reranker of the provider', async () => {
  const rerank = async (_: string, texts: readonly string[]) => texts.map(({ length }) => length / 100);
  const app = await testApp({ embedder: Object.assign(new LetterEmbedder(), { rerank }) });
  const contents = ['abcd', 'abcd and more', 'abcd and much more'];
  for (const content of contents) await app.send('POST', '/api/memories', { content });

  for (const mode of ['vector', 'keyword', 'hybrid']) {
    const { status, body } = await app.send('POST', PATH, { query: 'abcd', mode, rerank: true, explain: true });

    expect([status, body.meta]).toEqual([200, { count: 3, mode }]);
    expect(body.results).toMatchObject(
      contents.toReversed().map((content) => {
        const score = content.length / 100;
        return { content, score, explanation: { parts: { rerank: score } } };
      }),
    );
  }
});

test('a search with rerank gets 422 without a reranker, and 503 while it does not answer', async () => {
  const app = await testApp();
  const down = () => Promise.reject(new EmbeddingUnavailableError('down', 7));

  const without = await app.send('POST', PATH, { query: 'abcd', rerank: true });
  const notAsked = await app.send('POST', PATH, { query: 'abcd', rerank: false });
  Object.assign(app.deps.embedder, { rerank: down });
  const unavailable = await app.send('POST', PATH, { query: 'abcd', rerank: true });

  expect(without).toMatchObject({
    status: 422,
    body: { code: 'validation_failed', details: [{ path: 'rerank', message: expect.stringContaining('provider') }] },
  });
  expect(notAsked.status).toBe(200);
  expect(unavailable).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
});
