import { expect, test, vi } from 'vitest';
import { createEmbedder } from '../../adapters/embedding/create-embedder.js';
import { BOUNDS } from '../../domain/fairness/bounds.js';
import { foundOrganization, testApp } from '../../testing/app/test-app.js';

/** Expected events come within seconds; a busy machine may need longer. */
const PATIENT = { timeout: 60_000 };
const { shares } = BOUNDS.embeddingCalls;

test('texts that the embedding provider is slow to embed delay only their own organization', async () => {
  const provider = slowFor('slow');
  const embedder = await createEmbedder(
    { provider: 'openai', apiKey: 'k', dimensions: 2 },
    { fetch: provider.fetch, random: Math.random },
  );
  const calls = () => embedder.sharedResources?.[0]?.use;
  const app = await testApp({ embedder });
  const bystander = await foundOrganization(app.deps);
  const slow = Array.from({ length: 40 }, (_, index) =>
    app.send('POST', '/api/memories', { content: `slow ${index} ${'abcdefghij'.repeat(index)}` }),
  );
  await vi.waitFor(() => expect(calls()).toMatchObject({ inUse: shares.tenant, waiting: 40 - shares.tenant }), PATIENT);

  const headers = { authorization: `Bearer ${bystander.token}` };
  const written = await app.send('POST', '/api/memories', { content: 'quick' }, headers);
  const searched = await app.send('POST', '/api/memories/search', { query: 'quick' }, headers);
  const meanwhile = calls();
  provider.release();
  const late = await Promise.all(slow);

  expect([written.status, searched.status]).toEqual([201, 200]);
  expect(meanwhile).toEqual({ inUse: shares.tenant, waiting: 40 - shares.tenant, refused: 0 });
  expect(late.filter(({ status }) => status >= 300)).toEqual([]);
  expect(calls()).toEqual({ inUse: 0, waiting: 0, refused: 0 });
});

/** A provider that does not answer a request with this word until it is released. */
function slowFor(word: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answer: typeof fetch = async (_url, init) => {
    const { input } = JSON.parse(String(init?.body)) as { input: string[] };
    if (input.some((text) => text.includes(word))) await released;
    const data = input.map((text, index) => ({ index, embedding: [text.length, 1] }));
    return Response.json({ data });
  };
  return { fetch: answer, release: () => release() };
}
