import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEmbedder, withFormer } from './create-embedder.js';

const server = setupServer();

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

describe('a contextual model of Voyage', () => {
  const CONTEXT_URL = 'https://api.voyageai.com/v1/contextualizedembeddings';
  const config = { provider: 'voyage', apiKey: 'k-secret', model: 'voyage-context-3', dimensions: 256 } as const;

  /** Answers with the lists and their vectors in reverse order; their numbers say where they belong. */
  function serveLists(answer?: (inputs: readonly (readonly string[])[]) => unknown) {
    const bodies: unknown[] = [];
    const vector = (text: string) => Array.from({ length: 256 }, (_, axis) => [text.length, 1][axis] ?? 0);
    const inner = (texts: readonly string[]) =>
      texts.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) })).reverse();
    server.use(
      http.post(CONTEXT_URL, async ({ request }) => {
        const body = (await request.json()) as { inputs: string[][] };
        bodies.push(body);
        const data = body.inputs.map((texts, index) => ({ object: 'list', index, data: inner(texts) })).reverse();
        return HttpResponse.json(answer?.(body.inputs) ?? { object: 'list', data, model: 'm', usage: {} });
      }),
    );
    return bodies;
  }

  test('is asked for chunks in the lists of their documents', async () => {
    const bodies = serveLists();

    const vectors = await (await createEmbedder(config)).embedChunks?.([['abc', 'a'], ['ab']]);

    expect(bodies).toEqual([
      { inputs: [['abc', 'a'], ['ab']], model: 'voyage-context-3', input_type: 'document', output_dimension: 256 },
    ]);
    expect(vectors?.map((chunks) => chunks.map((values) => Math.round(values[0]! / values[1]!)))).toEqual([
      [3, 1],
      [2],
    ]);
  });

  test('is asked for a query as a list of its own', async () => {
    const bodies = serveLists();

    const [vector] = await (await createEmbedder(config)).embed(['abc'], 'query');

    expect(bodies).toMatchObject([{ inputs: [['abc']], input_type: 'query' }]);
    expect(vector).toHaveLength(256);
  });

  test.each<[string, unknown, RegExp]>([
    ['without a list', {}, /no list of vectors/],
    ['with too few lists', { data: [{ index: 0, data: [] }] }, /1 lists of vectors for 2 lists of texts/],
    ['with too few vectors', { data: [{ data: [{}] }, { data: [{}] }] }, /1 vectors for a list of 2 texts/],
    ['with something else than a list', { data: [{ data: 'secret' }, {}] }, /no list of vectors/],
  ])('is not believed after an answer %s', async (_name, answer, message) => {
    serveLists(() => answer);

    const refused = (await createEmbedder(config)).embedChunks?.([['abc', 'a'], ['ab']]);

    await expect(refused).rejects.toThrow(message);
  });

  test('is the only kind of model that embeds chunks together', async () => {
    expect((await createEmbedder(config)).embedChunks).toBeDefined();
    expect(withFormer(await createEmbedder(config), undefined).embedChunks).toBeDefined();
    expect((await createEmbedder({ provider: 'voyage', apiKey: 'k' })).embedChunks).toBeUndefined();
    expect(
      withFormer(await createEmbedder({ provider: 'voyage', apiKey: 'k' }), undefined).embedChunks,
    ).toBeUndefined();
  });
});
