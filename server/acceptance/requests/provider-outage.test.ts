import { afterEach, expect, test, vi } from 'vitest';
import { createEmbedder } from '../../adapters/embedding/create-embedder.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

/** A little more than the time for which a failing provider is not called. */
const LEFT_ALONE_MS = 6_000;
const ROUNDS = 2;

type Faulty = (texts: readonly string[]) => Promise<Response>;

const OUTAGES: Readonly<Record<string, Faulty>> = {
  'errors of the server': async () => new Response('', { status: 500 }),
  'too many requests': async () => new Response('', { status: 429 }),
  'a revoked key': async () => new Response('', { status: 401 }),
  'a broken connection': () => Promise.reject(Object.assign(new Error('fetch failed'), { code: 'ECONNRESET' })),
  'an answer without JSON': async () => new Response('<html>'),
  'an answer without vectors': async () => Response.json({ data: [] }),
  'vectors of another size': async (texts) =>
    Response.json({ data: texts.map((_, index) => ({ index, embedding: [1, 2, 3] })) }),
};

afterEach(() => {
  vi.useRealTimers();
});

test('outages of the embedding provider lose no acknowledged write and store no rejected one', async () => {
  // Only the date: the connection of the test needs real timers.
  vi.useFakeTimers({ toFake: ['Date'] });
  let fault: Faulty | undefined;
  const provider: typeof fetch = async (_url, init) => {
    const { input } = JSON.parse(String(init?.body)) as { input: string[] };
    return fault ? fault(input) : Response.json({ data: input.map((text, index) => vectorOf(text, index)) });
  };
  const embedder = await createEmbedder(
    { provider: 'openai', apiKey: 'k', dimensions: 2 },
    { fetch: provider, random: () => 0 },
  );
  const app = await testApp({ embedder });
  const acknowledged = [await store(app, 'before all outages')];

  for (const [name, outage] of Object.entries(OUTAGES)) {
    fault = outage;
    for (let n = 0; n < ROUNDS; n += 1) await rejected(app, `during ${name} ${n}`);
    expect(embedder.status(), name).toBe('down');
    await servedWithoutVectors(app);
    fault = undefined;
    vi.setSystemTime(Date.now() + LEFT_ALONE_MS);
    acknowledged.push(await store(app, `after ${name}`));
    expect(embedder.status(), name).toBe('ok');
  }

  const { text } = await app.send('GET', '/api/memories/export?limit=500');
  const stored = text.split('\n').filter((line) => line !== '');
  expect(stored.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(acknowledged);
});

async function store(app: TestApp, content: string): Promise<string> {
  const { status, body } = await app.send('POST', '/api/memories', { content });
  expect(status, content).toBe(201);
  return String(body.id);
}

async function rejected(app: TestApp, content: string): Promise<void> {
  const single = await app.send('POST', '/api/memories', { content });
  const batch = await app.send('POST', '/api/memories/batch', {
    items: [{ content }, { content: `${content} again` }],
  });
  const search = await app.send('POST', '/api/memories/search', { query: content });
  for (const { status, body, headers } of [single, batch, search]) {
    expect({ status, code: body.code }, content).toEqual({ status: 503, code: 'service_unavailable' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
}

/** Reads, searches by word and exact repetitions need no vector. */
async function servedWithoutVectors(app: TestApp): Promise<void> {
  const repeated = await app.send('POST', '/api/memories', { content: 'before all outages' });
  const found = await app.send('POST', '/api/memories/search', { query: 'outages', mode: 'keyword' });
  const ready = await app.send('GET', '/health/ready');
  expect([repeated.status, found.status, ready.status]).toEqual([200, 200, 200]);
  expect(ready.body.status).toBe('degraded');
}

/** Texts of different lengths point in different directions, so that none is a near-duplicate of another. */
function vectorOf(text: string, index: number): { index: number; embedding: number[] } {
  return { index, embedding: [Math.cos(text.length), Math.sin(text.length)] };
}
