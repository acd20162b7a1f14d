import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEmbedder, withFormer } from './create-embedder.js';

const RERANK_URL = 'https://api.voyageai.com/v1/rerank';
const CONFIG = { provider: 'voyage', apiKey: 'k-secret' } as const;

const server = setupServer();

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

describe('the reranker of Voyage', () => {
  test('scores the texts in their order, whatever the order of the answer', async () => {
    const requests = serve([
      [2, 0.9],
      [0, 0.4],
      [1, -0.1],
    ]);
    const embedder = withFormer(await createEmbedder(CONFIG), undefined);

    expect(await embedder.rerank?.('which?', ['a', 'b', 'c'])).toEqual([0.4, 0, 0.9]);
    expect(await embedder.rerank?.('which?', [])).toEqual([]);

    expect(requests).toEqual([
      {
        key: 'Bearer k-secret',
        query: 'which?',
        documents: ['a', 'b', 'c'],
        model: 'rerank-2.5',
        truncation: true,
      },
    ]);
  });

  test('gets the beginnings of long texts, so that together they are within its limit', async () => {
    const requests = serve([
      [0, 0.4],
      [1, 0.1],
    ]);
    const long = 'word '.repeat(500_000);

    await (await createEmbedder({ ...CONFIG, model: 'voyage-context-3' })).rerank?.('which?', ['short', long]);

    const [{ documents: [short, cut = ''] = [] } = {}] = requests as { documents: string[] }[];
    expect(short).toBe('short');
    expect(cut.length).toBeGreaterThan(200_000);
    expect(cut.length).toBeLessThan(long.length / 2);
  });

  test.each<[string, object]>([
    ['without a list', { error: 'secret' }],
    ['that leaves out a text', { data: [{ index: 0, relevance_score: 0.4 }] }],
    ['without a number', { data: [0, 1].map((index) => ({ index, relevance_score: 'secret' })) }],
  ])('is not believed after an answer %s', async (_, answer) => {
    server.use(http.post(RERANK_URL, () => HttpResponse.json(answer)));

    const reranking = (await createEmbedder(CONFIG)).rerank?.('which?', ['a', 'b']);

    await expect(reranking).rejects.toThrow(/it holds no score for one of 2 texts/);
  });

  test('belongs to Voyage alone', async () => {
    expect(withFormer(await createEmbedder({ provider: 'local' }), undefined).rerank).toBeUndefined();
    expect((await createEmbedder({ ...CONFIG, provider: 'openai' })).rerank).toBeUndefined();
  });
});

/** Answers with these scores, as Voyage does: without the texts, best first. */
function serve(scores: readonly [index: number, score: number][]): unknown[] {
  const requests: unknown[] = [];
  server.use(
    http.post(RERANK_URL, async ({ request }) => {
      requests.push({ key: request.headers.get('authorization'), ...((await request.json()) as object) });
      const data = scores.map(([index, relevance_score]) => ({ index, relevance_score }));
      return HttpResponse.json({ object: 'list', data, model: 'rerank-2.5', usage: { total_tokens: 26 } });
    }),
  );
  return requests;
}
