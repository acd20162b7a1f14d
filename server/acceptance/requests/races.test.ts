import { describe, expect, test } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';

interface Written {
  id: string;
  outcome: string;
}

describe('requests at the same time', () => {
  test('32 equal ingests create one memory, and 31 repeat it', async () => {
    const app = await testApp();

    const answers = await Promise.all(
      Array.from({ length: 32 }, () => app.send('POST', '/api/memories', { content: 'Deploys run on Fridays.' })),
    );

    expect(answers.map(({ body }) => body.outcome).sort()).toEqual(['created', ...Array(31).fill('deduplicated')]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await app.send('GET', '/api/memories/stats')).body.meta).toEqual({ total: 1, filtered: 1 });
  });

  test('64 metadata patches all take effect', async () => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', { content: 'a' });

    const names = Array.from({ length: 64 }, (_, index) => `k${index}`);
    const answers = await Promise.all(
      names.map((name) => app.send('PATCH', `/api/memories/${body.id}`, { metadata: { [name]: true } })),
    );

    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { metadata } = (await app.send('GET', `/api/memories/${body.id}`)).body;
    expect(Object.keys(metadata as object).sort()).toEqual(names.sort());
  });

  test('16 upserts of one key make one memory, with the content of the last', async () => {
    const app = await testApp();

    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        app.send('PUT', '/api/memories', { externalKey: 'k', content: `version ${index}` }),
      ),
    );

    const written = answers.map(({ body }) => body as unknown as Written & { updatedAt: string; content: string });
    const last = written.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))[0];
    expect(written.map(({ outcome }) => outcome).sort()).toEqual(['created', ...Array(15).fill('updated')]);
    expect(new Set(written.map(({ id }) => id)).size).toBe(1);
    expect((await app.send('GET', `/api/memories/${last?.id}`)).body.content).toBe(last?.content);
  });

  test('a reader of changes that polls during eight writers misses none of them', async () => {
    const app = await testApp();
    const seen = new Set<string>();
    let cursor: string | undefined;
    let writing = true;
    const poll = async () => {
      const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await app.send('GET', `/api/memories/changes?since=2020-01-01&limit=7${after}`);
      for (const { id } of body.changes as { id: string }[]) seen.add(id);
      cursor = (body.nextCursor as string | undefined) ?? cursor;
      return (body.meta as { hasMore: boolean }).hasMore;
    };
    const reader = (async () => {
      while (writing) await poll();
    })();

    const write = async (writer: number) => {
      const ids: string[] = [];
      for (let round = 0; round < 25; round += 1) {
        const { body } = await app.send('POST', '/api/memories', { content: `writer ${writer} round ${round}` });
        ids.push(String(body.id));
      }
      return ids;
    };
    const stored = (await Promise.all(Array.from({ length: 8 }, (_, index) => write(index)))).flat();
    writing = false;
    await reader;
    while (await poll());

    expect(stored.filter((id) => !seen.has(id))).toEqual([]);
    expect(seen.size).toBe(200);
  });
});
