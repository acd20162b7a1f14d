import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Reranker } from './reranker.js';

const server = setupServer();

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

/** Answers as Voyage does: without the texts, best first. */
function serve(scores: readonly [index: number, score: number][]): unknown[] {
  const requests: unknown[] = [];
  server.use(
    http.post('https://api.voyageai.com/v1/rerank', async ({ request }) => {
      requests.push({ key: request.headers.get('authorization'), ...((await request.json()) as object) });
      const data = scores.map(([index, relevance_score]) => ({ index, relevance_score }));
      return HttpResponse.json({ object: 'list', data, model: 'rerank-2.5', usage: { total_tokens: 26 } });
    }),
  );
  return requests;
}

test('orders texts by the scores of the provider, and counts its tokens', async () => {
  const requests = serve([
    [2, 0.9],
    [0, 0.4],
    [1, 0.1],
  ]);
  const reranker = new Reranker('rerank-2.5', { apiKey: 'k-secret' });

  expect(await reranker.order('which?', ['a', 'b', 'c'])).toEqual([2, 0, 1]);
  expect(await reranker.order('which?', [])).toEqual([]);

  expect(requests).toEqual([
    { key: 'Bearer k-secret', query: 'which?', documents: ['a', 'b', 'c'], model: 'rerank-2.5' },
  ]);
  expect(reranker.tokens).toBe(26);
});

test('does not believe an answer that leaves out a text', async () => {
  serve([[0, 0.4]]);

  await expect(new Reranker('rerank-2.5', { apiKey: 'k' }).order('which?', ['a', 'b'])).rejects.toThrow(
    'the reranker rerank-2.5 did not score each of 2 texts',
  );
});
