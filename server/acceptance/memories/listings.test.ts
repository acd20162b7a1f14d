import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

interface Entry {
  id: string;
  content: string;
}

describe('listRecentMemories', () => {
  test('answers the newest first, twenty by default', async () => {
    const app = await testApp();
    await store(app, 22);

    const unasked = await app.send('GET', '/api/memories/recent');
    const asked = await app.send('GET', '/api/memories/recent?limit=2');

    expect(unasked).toMatchObject({ status: 200, body: { meta: { count: 20 } } });
    expect(contents(asked.body.results)).toEqual(['number 21', 'number 20']);
  });

  test('leaves out deleted memories unless requested', async () => {
    const app = await testApp();
    const [first] = await store(app, 2);
    await app.send('DELETE', `/api/memories/${first}`);

    const without = await app.send('GET', '/api/memories/recent');
    const all = await app.send('GET', '/api/memories/recent?includeDeleted=true');

    expect(contents(without.body.results)).toEqual(['number 1']);
    expect(all.body.results).toMatchObject([{ content: 'number 1' }, { id: first, deletedAt: expect.any(String) }]);
  });
});

describe('exportMemories', () => {
  test('streams one memory a line, oldest first, with a cursor while there is more', async () => {
    const app = await testApp();
    await store(app, 3);

    const first = await app.send('GET', '/api/memories/export?limit=2');
    const cursor = encodeURIComponent(String(first.headers['x-next-cursor']));
    const last = await app.send('GET', `/api/memories/export?limit=2&cursor=${cursor}`);

    expect(lines(first.text)).toEqual(['number 0', 'number 1']);
    expect(lines(last.text)).toEqual(['number 2']);
    expect(last.headers).not.toHaveProperty('x-next-cursor');
  });

  test('returns no cursor if a page contains exactly the rest', async () => {
    const app = await testApp();
    await store(app, 2);

    const answer = await app.send('GET', '/api/memories/export?limit=2');

    expect(lines(answer.text)).toHaveLength(2);
    expect(answer.headers).not.toHaveProperty('x-next-cursor');
  });

  test('answers an empty page with an empty body', async () => {
    const app = await testApp();

    const answer = await app.send('GET', '/api/memories/export');

    expect(answer).toMatchObject({ status: 200, text: '', headers: { 'content-type': 'application/x-ndjson' } });
  });

  test('contains the keys, and deletedAt of deleted memories if requested', async () => {
    const app = await testApp();
    const { body } = await app.send('PUT', '/api/memories', { content: 'a', externalKey: 'k' });
    await app.send('DELETE', `/api/memories/${body.id}`);

    const without = await app.send('GET', '/api/memories/export');
    const answer = await app.send('GET', '/api/memories/export?includeDeleted=1');

    expect(without.text).toBe('');
    expect(JSON.parse(answer.text)).toMatchObject({ id: body.id, externalKey: 'k', deletedAt: expect.any(String) });
  });
});

describe('getMemoryStats', () => {
  test('counts the values of the common keys, and the memories with and without the filter', async () => {
    const app = await testApp();
    await app.send('POST', '/api/memories', { content: 'a', metadata: { kind: 'note', source: 'wiki' } });
    await app.send('POST', '/api/memories', { content: 'b', metadata: { kind: 'note' } });
    await app.send('POST', '/api/memories', { content: 'c', metadata: { kind: 'page' } });

    const all = await app.send('GET', '/api/memories/stats');
    const filtered = await app.send('GET', '/api/memories/stats?filter[kind]=note');

    expect(all.body).toEqual({
      facets: {
        agentId: [],
        source: [{ value: 'wiki', count: 1 }],
        surface: [],
        project: [],
        kind: [
          { value: 'note', count: 2 },
          { value: 'page', count: 1 },
        ],
      },
      meta: { total: 3, filtered: 3 },
    });
    expect(filtered.body).toMatchObject({ facets: { kind: [{ count: 2 }] }, meta: { total: 3, filtered: 2 } });
  });

  test('counts deleted memories if requested', async () => {
    const app = await testApp();
    const [id] = await store(app, 2);
    await app.send('DELETE', `/api/memories/${id}`);

    const without = await app.send('GET', '/api/memories/stats');
    const all = await app.send('GET', '/api/memories/stats?includeDeleted=true');

    expect(without.body.meta).toEqual({ total: 1, filtered: 1 });
    expect(all.body.meta).toEqual({ total: 2, filtered: 2 });
  });

  test('rejects the parameter limit, which it does not have, with 422', async () => {
    const app = await testApp();

    const answer = await app.send('GET', '/api/memories/stats?limit=5');

    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'limit' }] } });
  });
});

describe.each([
  ['listRecentMemories', '/api/memories/recent?', 50],
  ['exportMemories', '/api/memories/export?', 500],
  ['listMemoryChanges', '/api/memories/changes?since=2026-01-01&', 500],
])('%s', (_, path, most) => {
  test.each(['0', '-1', String(most + 1), '5.5', 'abc', '', '1e1', '0x10', ' 5', '+5', '5&limit=6', '9'.repeat(30)])(
    'rejects limit=%s with 422',
    async (limit) => {
      const app = await testApp();

      const answer = await app.send(
        'GET',
        `${path}limit=${encodeURIComponent(limit).replace('%26', '&').replace('%3D', '=')}`,
      );

      expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', details: [{ path: 'limit' }] } });
    },
  );

  test('accepts the largest limit', async () => {
    const app = await testApp();

    const answer = await app.send('GET', `${path}limit=${most}`);

    expect(answer.status).toBe(200);
  });
});

async function store(app: TestApp, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, (_, index) => ({ content: `number ${index}` }));
  const { body } = await app.send('POST', '/api/memories/batch', { items });
  return (body.results as Entry[]).map(({ id }) => id);
}

function contents(results: unknown): string[] {
  return (results as Entry[]).map(({ content }) => content);
}

function lines(text: string): string[] {
  return contents(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
}
