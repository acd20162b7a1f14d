import { describe, expect, test } from 'vitest';
import { beginReembedding, goOnReembedding } from '../../services/upkeep/reembed.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

const MEMORIES = 150;

describe('requests while an organization is re-embedded', () => {
  test('find every memory after every step, by meaning, by both, and as similar ones', async () => {
    const app = await appWithFormer();
    const contents = new Map<string, string>();
    for (let from = 0; from < MEMORIES; from += 50) {
      const items = Array.from({ length: 50 }, (_, n) => ({ content: distinct(from + n) }));
      const { body } = await app.send('POST', '/api/memories/batch', { items });
      for (const [n, { id }] of (body.results as { id: string }[]).entries()) contents.set(id, items[n]!.content);
    }
    const states: string[] = [];
    await beginReembedding(app.deps, app.organizationId);
    for (let [step, after, isOver]: [number, number | undefined, boolean] = [0, undefined, false]; !isOver; step += 1) {
      const { body } = await app.send('POST', '/api/memories', { content: distinct(1_000 + step) });
      contents.set(String(body.id), distinct(1_000 + step));
      const [changing = ''] = contents.keys();
      await app.send('PATCH', `/api/memories/${changing}`, { content: distinct(2_000 + step) });
      contents.delete(changing);
      contents.set(changing, distinct(2_000 + step));

      await expectFound(app, contents);
      const done = await goOnReembedding(app.deps, app.organizationId, after);
      await expectFound(app, contents);
      after = done.after;
      isOver = done.retryAfterMs === undefined;
      const { pendingFingerprint, formerFingerprint } = (await app.deps.store.accounts.settings(app.organizationId))!;
      states.push([pendingFingerprint, formerFingerprint].join(' '));
    }

    expect([...new Set(states)]).toEqual([' letters|v1|64', ' ']);
    expect(await app.deps.store.memories.countUnembedded(app.organizationId)).toMatchObject({ unembedded: 0 });
  });

  test('are told by the settings how many memories have a new vector, and when the operator must act', async () => {
    const app = await appWithFormer();
    const settings = async () => (await app.send('GET', '/api/organization/settings')).body;
    const items = Array.from({ length: 3 }, (_, n) => ({ content: distinct(n) }));
    await app.send('POST', '/api/memories/batch', { items });
    const about = { searched: 'letters|v1|64', configured: 'letters|v2|64', memories: 3 };

    const before = await settings();
    await beginReembedding(app.deps, app.organizationId);
    await app.send('POST', '/api/memories', { content: distinct(3) });
    const during = await settings();
    const { body: changed } = await app.send('PATCH', '/api/organization/settings', { semanticDedupe: false });
    const { formerOf } = app.deps.embedder;
    delete app.deps.embedder.formerOf;
    const blocked = await settings();
    Object.assign(app.deps.embedder, { formerOf });
    await goOnReembedding(app.deps, app.organizationId);
    const after = await settings();

    expect(before.reembedding).toEqual({ ...about, state: 'running', embedded: 0 });
    expect(during.reembedding).toEqual({ ...about, state: 'running', memories: 4, embedded: 1 });
    expect(changed.reembedding).toEqual(during.reembedding);
    expect(blocked.reembedding).toEqual({ ...during.reembedding!, state: 'blocked' });
    expect(after).not.toHaveProperty('reembedding');
  });

  test('are answered while the new embedder fails, and rejected with what to do without the former one', async () => {
    const app = await appWithFormer();
    const { body } = await app.send('POST', '/api/memories', { content: 'abcd' });
    await beginReembedding(app.deps, app.organizationId);
    (app.deps.embedder as LetterEmbedder).down = true;

    expect((await app.send('POST', '/api/memories', { content: 'efgh' })).status).toBe(201);
    await expectFound(app, new Map([[String(body.id), 'abcd']]));
    delete app.deps.embedder.formerOf;
    expect(await app.send('POST', '/api/memories/search', { query: 'abcd' })).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable', error: expect.stringContaining('memory-reembed') },
    });
  });
});

/** Returns an app that is configured for another embedder than its organization, and has the former one. */
async function appWithFormer(): Promise<TestApp> {
  const former = new LetterEmbedder();
  const formerOf = (fingerprint: string) => (fingerprint === former.fingerprint ? former : undefined);
  const app = await testApp({ embedder: Object.assign(new LetterEmbedder('letters|v2|64', 1), { formerOf }) });
  await app.deps.store.transact(app.organizationId, async (unit) => {
    const settings = { ...(await unit.settings()), semanticDedupe: false };
    await unit.saveSettings({ ...settings, embeddingFingerprint: former.fingerprint });
  });
  return app;
}

/** Returns a text whose letters no other number has in the same amounts. */
function distinct(n: number): string {
  return [...n.toString(6).padStart(5, '0')].map((digit, at) => 'abcde'.charAt(at).repeat(Number(digit) + 1)).join('');
}

async function expectFound(app: TestApp, contents: ReadonlyMap<string, string>): Promise<void> {
  const some = [...contents].filter((_, n) => n % 31 === 0 || n >= contents.size - 2);
  for (const [id, content] of some) {
    for (const mode of ['vector', 'hybrid']) {
      const { status, body } = await app.send('POST', '/api/memories/search', { query: content, mode, limit: 1 });
      expect([status, (body.results as { id: string }[])[0]?.id]).toEqual([200, id]);
    }
  }
  const [first] = some;
  expect(await app.send('GET', `/api/memories/${first?.[0]}/similar?limit=3`)).toMatchObject({ status: 200 });
}
