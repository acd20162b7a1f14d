import type { SimilarMemories } from '@memory-service/sdk';
import { describe, expect, test } from 'vitest';
import { foundOrganization, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

describe('listSimilarMemories', () => {
  test('answers the other memories, most similar first, and embeds nothing', async () => {
    const embedder = new LetterEmbedder();
    const app = await testApp({ embedder });
    const [one, far, near] = [await stored(app, 'aaab'), await stored(app, 'zzzz'), await stored(app, 'aabb')];
    embedder.down = true;

    const answer = await app.send('GET', `/api/memories/${one}/similar`);

    expect(answer).toMatchObject({ status: 200, body: { meta: { count: 2 } } });
    const results = answer.body.results as SimilarMemories['results'];
    expect(results.map(({ id }) => id)).toEqual([near, far]);
    expect(results.map(({ score }) => score)).toEqual(results.map(({ similarity }) => similarity));
    expect(results[0]?.score).toBeGreaterThan(results[1]?.score ?? 1);
  });

  test('fills the limit with others, also if the filter excludes the memory itself', async () => {
    const app = await testApp();
    const one = await stored(app, 'aaab', { kind: 'note' });
    for (const content of ['aabb', 'abbb', 'bbbb']) await stored(app, content, { kind: 'rule' });
    const similar = async (query: string) => (await app.send('GET', `/api/memories/${one}/similar?${query}`)).body.meta;

    expect(await similar('limit=2')).toEqual({ count: 2 });
    expect(await similar('limit=2&filter[kind]=rule')).toEqual({ count: 2 });
    expect(await similar('filter[kind]=note')).toEqual({ count: 0 });
  });

  test('answers soft-deleted memories, and those similar to one, only if requested', async () => {
    const app = await testApp();
    const [one, gone] = [await stored(app, 'aaab'), await stored(app, 'aabb')];
    await app.send('DELETE', `/api/memories/${gone}`);
    const ids = async (path: string) =>
      ((await app.send('GET', `/api/memories/${path}`)).body as Partial<SimilarMemories>).results?.map(({ id }) => id);

    expect(await ids(`${one}/similar`)).toEqual([]);
    expect(await ids(`${one}/similar?includeDeleted=true`)).toEqual([gone]);
    expect(await ids(`${gone}/similar`)).toBeUndefined();
    expect(await ids(`${gone}/similar?includeDeleted=true`)).toEqual([one]);
  });

  test('answers unknown, foreign and malformed ids identically, and counts no search for them', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const theirs = { authorization: `Bearer ${other.token}` };
    const foreign = await app.send('POST', '/api/memories', { content: 'theirs' }, theirs);
    const month = new Date().toISOString().slice(0, 7);

    for (const id of [app.deps.newId(), foreign.body.id, 'x']) {
      const answer = await app.send('GET', `/api/memories/${id}/similar`);
      expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
    }
    expect((await app.deps.store.usage.read(app.organizationId, month)).search).toBe(0);
  });

  test('is rejected while the vectors are from another embedder', async () => {
    const app = await testApp();
    const one = await stored(app, 'aaab');
    await app.deps.store.transact(app.organizationId, async (unit) => {
      await unit.saveSettings({ ...(await unit.settings()), embeddingFingerprint: 'former|x|8' });
    });

    const answer = await app.send('GET', `/api/memories/${one}/similar`);

    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  });
});

async function stored(
  app: Awaited<ReturnType<typeof testApp>>,
  content: string,
  metadata: Record<string, unknown> = {},
): Promise<string> {
  const { body } = await app.send('POST', '/api/memories', { content, metadata });
  return String(body.id);
}
