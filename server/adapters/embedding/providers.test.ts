import { HttpResponse, http, passthrough } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Embedder } from '../../ports/embedder.js';
import { freePort } from '../../testing/processes/free-port.js';
import { createEmbedder, type EmbeddingConfig } from './create-embedder.js';
import { voyageCall } from './voyage.js';

const OPENAI_URL = 'https://api.openai.com/v1/embeddings';
const VOYAGE_URL = 'https://api.voyageai.com/v1/embeddings';
const server = setupServer();

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  server.resetHandlers();
  vi.restoreAllMocks();
});
afterAll(() => server.close());

interface Seen {
  headers: Headers;
  body: { input: string[] } & Record<string, unknown>;
}

/** Answers with what `answer` makes of each request, and keeps the requests. */
function serve(url: string, answer: (seen: Seen, count: number) => Response): Seen[] {
  const requests: Seen[] = [];
  server.use(
    http.post(url, async ({ request }) => {
      const seen = { headers: request.headers, body: (await request.json()) as Seen['body'] };
      requests.push(seen);
      return answer(seen, requests.length);
    }),
  );
  return requests;
}

function inForm(body: Seen['body'], vector: readonly number[]): string | readonly number[] {
  return body.encoding_format === 'base64' ? encode(vector) : vector;
}

/** Encodes a vector as OpenAI and Voyage do if they are asked for base64. */
function encode(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

/** One vector a text: its length along the first axis, 1 along the second. Listed from the last to the first. */
function vectorsOf({ body }: Seen, dimensions = 4): Response {
  const data = body.input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: inForm(
      body,
      Array.from({ length: dimensions }, (_, axis) => [text.length, 1][axis] ?? 0),
    ),
  }));
  return HttpResponse.json({ object: 'list', data: data.reverse(), model: 'm', usage: { total_tokens: 1 } });
}

function embedderOf(config: EmbeddingConfig): Promise<Embedder> {
  return createEmbedder({ apiKey: 'k-secret', model: 'm', dimensions: 4, ...config }, { random: () => 0 });
}

describe('OpenAI', () => {
  test('is asked with model, texts, dimensions and key', async () => {
    const requests = serve(OPENAI_URL, (seen) => vectorsOf(seen));

    await (await embedderOf({ provider: 'openai', model: 'text-embedding-3-small' })).embed(['abc', 'a'], 'document');

    expect(requests[0]!.body).toEqual({
      model: 'text-embedding-3-small',
      input: ['abc', 'a'],
      encoding_format: 'base64',
      dimensions: 4,
    });
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer k-secret');
    expect(requests[0]!.headers.get('content-type')).toBe('application/json');
  });

  test('is left to choose the dimensions where none are configured', async () => {
    const requests = serve(OPENAI_URL, (seen) => vectorsOf(seen, 1_536));

    const [vector] = await (await createEmbedder({ provider: 'openai', apiKey: 'k' })).embed(['abc'], 'query');

    expect(requests[0]!.body).not.toHaveProperty('dimensions');
    expect(vector).toHaveLength(1_536);
  });

  test('may be any server of its API, without a key where none is set', async () => {
    const requests = serve('http://127.0.0.1:9/api/v1/embeddings', (seen) => vectorsOf(seen));
    const baseUrl = 'http://127.0.0.1:9/api/v1/';
    const embedder = await createEmbedder({ provider: 'openai', model: 'nomic', dimensions: 4, baseUrl });

    await embedder.embed(['abc'], 'document');

    expect(requests[0]!.headers.has('authorization')).toBe(false);
    expect(requests[0]!.body).toMatchObject({ model: 'nomic', encoding_format: 'float' });
  });
});

describe('Voyage', () => {
  test.each(['document', 'query'] as const)('is asked for texts as %s', async (purpose) => {
    const requests = serve(VOYAGE_URL, (seen) => vectorsOf(seen, 1_024));

    const [vector] = await (await createEmbedder({ provider: 'voyage', apiKey: 'k-secret' })).embed(
      ['abc', 'a'],
      purpose,
    );

    expect(requests[0]!.body).toEqual({
      input: ['abc', 'a'],
      model: 'voyage-3.5',
      input_type: purpose,
      encoding_format: 'base64',
      truncation: true,
    });
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer k-secret');
    expect(vector).toHaveLength(1_024);
  });

  test('is asked for the configured model and dimensions at the configured server', async () => {
    const requests = serve('http://127.0.0.1:9/v1/embeddings', (seen) => vectorsOf(seen, 256));
    const config = { model: 'voyage-3-large', dimensions: 256, baseUrl: 'http://127.0.0.1:9/v1' };

    await (await embedderOf({ provider: 'voyage', ...config })).embed(['abc'], 'document');

    expect(requests[0]!.body).toMatchObject({ model: 'voyage-3-large', output_dimension: 256 });
  });

  test('gets the signal that ends its request', async () => {
    const controller = new AbortController();
    const signals: (AbortSignal | null | undefined)[] = [];
    const endless: typeof fetch = (_url, init) => {
      signals.push(init?.signal);
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('some private text')));
        controller.abort();
      });
    };
    const call = voyageCall({ model: 'm', apiKey: 'k', baseUrl: undefined, dimensions: 4 }, endless);

    await expect(call(['some private text'], 'document', controller.signal)).rejects.toThrow(/^unreachable$/);
    expect(signals).toMatchObject([{ aborted: true }]);
  });

  test('is not asked for the only size of vectors that a model has', async () => {
    const requests = serve(VOYAGE_URL, (seen) => vectorsOf(seen, 1_024));

    await (await embedderOf({ provider: 'voyage', model: 'voyage-law-2', dimensions: 1_024 })).embed(['a'], 'query');

    expect(requests[0]!.body).not.toHaveProperty('output_dimension');
  });

  test('is sent pieces of a text that is longer than its model reads', async () => {
    const requests = serve(VOYAGE_URL, (seen) => vectorsOf(seen, 1_024));
    const text = '7'.repeat(20_000);
    const embed = async (model: string) =>
      (await embedderOf({ provider: 'voyage', model, dimensions: 1_024 })).embed([text], 'document');

    await embed('voyage-law-2');
    await embed('voyage-4');

    expect(requests.map(({ body }) => body.input)).toEqual([[text.slice(0, 14_400), text.slice(14_400)], [text]]);
  });
});

describe.each([
  { provider: 'openai', url: OPENAI_URL },
  { provider: 'voyage', url: VOYAGE_URL },
] as const)('any provider, such as $provider', ({ provider, url }) => {
  test('is sent at most 128 texts a request, and the vectors are in the order of the texts', async () => {
    const requests = serve(url, (seen) => vectorsOf(seen));
    const texts = Array.from({ length: 300 }, (_, index) => 'x'.repeat(index + 1));

    const vectors = await (await embedderOf({ provider })).embed(texts, 'document');

    expect(requests.map(({ body }) => body.input.length).sort()).toEqual([128, 128, 44]);
    vectors.forEach((vector, index) => {
      expect(vector[0]! / vector[1]!).toBeCloseTo(index + 1, 2);
    });
  });

  test('is sent at most 120,000 tokens a request', async () => {
    const requests = serve(url, (seen) => vectorsOf(seen));
    // A sign of Chinese is about a token.
    const texts = Array.from({ length: 20 }, () => '部署'.repeat(5_000));

    const vectors = await (await embedderOf({ provider })).embed(texts, 'document');

    expect(vectors).toHaveLength(20);
    expect(requests.length).toBeLessThanOrEqual(5);
    for (const { body } of requests) expect(body.input.join('').length).toBeLessThanOrEqual(120_000 / 1.6);
  });

  test('is sent two halves of a request that it rejects as too large', async () => {
    const detail =
      'The max allowed tokens per submitted batch is 120000. Please lower the number of tokens in the batch.';
    const requests = serve(url, (seen) =>
      seen.body.input.length > 2 ? HttpResponse.json({ detail }, { status: 400 }) : vectorsOf(seen),
    );
    const texts = ['x', 'xx', 'xxx', 'xxxx'];

    const vectors = await (await embedderOf({ provider })).embed(texts, 'document');

    expect(requests.map(({ body }) => body.input)).toEqual([texts, texts.slice(0, 2), texts.slice(2)]);
    vectors.forEach((vector, index) => {
      expect(vector[0]! / vector[1]!).toBeCloseTo(index + 1, 2);
    });
  });

  test.each([408, 429, 500, 503])('is asked again after status %i', async (status) => {
    const requests = serve(url, (seen, count) => (count < 3 ? new HttpResponse(null, { status }) : vectorsOf(seen)));

    const vectors = await (await embedderOf({ provider })).embed(['abc'], 'document');

    expect(vectors).toHaveLength(1);
    expect(requests).toHaveLength(3);
  });

  test.each([400, 401, 403, 404, 422])('is not asked again after status %i, nor quoted', async (status) => {
    const requests = serve(url, () => HttpResponse.json({ detail: 'some private text, k-secret' }, { status }));

    const refused = (await embedderOf({ provider })).embed(['some private text'], 'document');

    await expect(refused).rejects.toMatchObject({
      name: 'EmbeddingUnavailableError',
      message: expect.stringContaining(`status ${status}`),
    });
    await expect(refused).rejects.not.toThrow(/private|k-secret/);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['30', 30],
    ['86400', 60],
  ])('reports a wait of %s s, longer than a call may take, as %i s', async (asked, told) => {
    serve(url, () => new HttpResponse(null, { status: 429, headers: { 'Retry-After': asked } }));

    await expect((await embedderOf({ provider })).embed(['abc'], 'query')).rejects.toMatchObject({
      retryAfterSeconds: told,
    });
  });

  test('is asked again when no answer arrives', async () => {
    const requests = serve(url, () => HttpResponse.error());

    await expect((await embedderOf({ provider })).embed(['abc'], 'query')).rejects.toThrow(
      `${provider} cannot be reached`,
    );
    expect(requests).toHaveLength(3);
  });

  test('that does not run is reported by its fault', async () => {
    const port = await freePort();
    server.use(http.post(`http://127.0.0.1:${port}/v1/embeddings`, () => passthrough()));
    const embedder = await embedderOf({ provider, baseUrl: `http://127.0.0.1:${port}/v1` });

    await expect(embedder.embed(['abc'], 'query')).rejects.toThrow(
      `The embedding provider ${provider} cannot be reached (ECONNREFUSED)`,
    );
  });

  test('is left alone when it keeps failing', async () => {
    const requests = serve(url, () => new HttpResponse(null, { status: 503 }));
    const embedder = await embedderOf({ provider });

    for (let calls = 0; calls < 3; calls++) await embedder.embed(['abc'], 'document').catch(() => undefined);

    expect(requests).toHaveLength(5);
    expect(embedder.status()).toBe('down');
  });

  const vector = { index: 0, embedding: [1, 0, 0, 0] };
  test.each<[string, () => Response, RegExp]>([
    ['that is no JSON', () => new HttpResponse('<html>'), /wrong answer/],
    ['without a list', () => HttpResponse.json({ error: 'x' }), /no list of vectors/],
    ['with too few vectors', () => HttpResponse.json({ data: [vector] }), /1 vectors for 2 texts/],
    ['that numbers two alike', () => HttpResponse.json({ data: [vector, vector] }), /not numbered one by one/],
    ['of other dimensions', () => second('[1,0]'), /2 dimensions where 4 are expected/],
    ['with a hole', () => second('[1,null,0,0]'), /no finite number/],
    ['with a number beyond all bounds', () => second('[1e999,0,0,0]'), /no finite number/],
    ['with zeros', () => second('[0,0,0,0]'), /a vector of length 0/],
    ['with something else than a number', () => second('[1,"secret",0,0]'), /no finite number/],
    ['with NaN in base64', () => second(`"${encode([1, Number.NaN, 0, 0])}"`), /no finite number/],
    ['of other dimensions in base64', () => second(`"${encode([1, 0])}"`), /2 dimensions where 4 are expected/],
    ['of bytes that are no floats', () => second('"AAAA"'), /no vector/],
  ])('is not believed, nor asked again, after an answer %s', async (_name, answer, message) => {
    const requests = serve(url, answer);

    const printed = vi.spyOn(console, 'warn');

    await expect((await embedderOf({ provider })).embed(['abc', 'de'], 'document')).rejects.toThrow(message);
    expect(requests).toHaveLength(1);
    expect(printed).not.toHaveBeenCalled();
  });
});

function second(embedding: string): Response {
  const body = `{"data":[{"index":0,"embedding":[1,0,0,0]},{"index":1,"embedding":${embedding}}]}`;
  return new HttpResponse(body, { headers: { 'Content-Type': 'application/json' } });
}
