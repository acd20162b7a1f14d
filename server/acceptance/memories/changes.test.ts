import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/memories/changes';
const EVER = 'since=2020-01-01T00:00:00Z';

describe('listMemoryChanges', () => {
  test('reports created, updated and deleted memories, oldest change first', async () => {
    const app = await testApp();
    const [updated, created, deleted] = await store(app, 'one', 'two', 'three');
    await app.send('PATCH', `/api/memories/${updated}`, { metadata: { seen: true } });
    await app.send('DELETE', `/api/memories/${deleted}`);

    const without = await app.send('GET', `${PATH}?${EVER}`);
    const all = await app.send('GET', `${PATH}?${EVER}&includeDeleted=true`);

    expect(without.body.changes).toMatchObject([
      { id: created, content: 'two', change: 'created' },
      { id: updated, content: 'one', change: 'updated' },
    ]);
    expect(all.body).toMatchObject({
      changes: [{}, {}, { id: deleted, change: 'deleted' }],
      meta: { count: 3, hasMore: false },
    });
  });

  test('reports a deleted memory without its content', async () => {
    const app = await testApp();
    const [id] = await store(app, 'secret');
    await app.send('DELETE', `/api/memories/${id}`);

    const { body } = await app.send('GET', `${PATH}?${EVER}&includeDeleted=true`);

    const [entry] = body.changes as Record<string, unknown>[];
    expect(entry).toEqual({ id, deletedAt: expect.any(String), updatedAt: entry?.deletedAt, change: 'deleted' });
  });

  test('continues from a cursor, which is the time and id of the last entry', async () => {
    const app = await testApp();
    const ids = await store(app, 'one', 'two', 'three');

    const first = await app.send('GET', `${PATH}?${EVER}&limit=2`);
    const second = await app.send(
      'GET',
      `${PATH}?${EVER}&limit=2&cursor=${encodeURIComponent(String(first.body.nextCursor))}`,
    );

    const [, last] = first.body.changes as { id: string; updatedAt: string }[];
    expect(first.body.meta).toEqual({ count: 2, hasMore: true });
    expect(first.body.nextCursor).toBe(`${last?.updatedAt}|${last?.id}`);
    expect(second.body).toMatchObject({ changes: [{ id: ids[2] }], meta: { count: 1, hasMore: false } });
  });

  test('returns the same cursor on an empty page, and a later change follows it', async () => {
    const app = await testApp();
    await store(app, 'one');
    const { body } = await app.send('GET', `${PATH}?${EVER}`);
    const cursor = encodeURIComponent(String(body.nextCursor));

    const empty = await app.send('GET', `${PATH}?${EVER}&cursor=${cursor}`);
    await store(app, 'two');
    const later = await app.send('GET', `${PATH}?${EVER}&cursor=${cursor}`);

    expect(empty.body).toEqual({ changes: [], meta: { count: 0, hasMore: false }, nextCursor: body.nextCursor });
    expect(later.body.changes).toMatchObject([{ content: 'two' }]);
  });

  test('returns no cursor if there is neither an entry nor a cursor', async () => {
    const app = await testApp();

    const answer = await app.send('GET', `${PATH}?${EVER}`);

    expect(answer.body).toEqual({ changes: [], meta: { count: 0, hasMore: false } });
  });

  test('treats since as inclusive, in any time zone', async () => {
    const app = await testApp();
    await store(app, 'one', 'two');
    const { body } = await app.send('GET', `${PATH}?${EVER}`);
    const [, second] = body.changes as { updatedAt: string }[];

    const exact = await app.send('GET', `${PATH}?since=${second?.updatedAt}`);
    const shifted = await app.send(
      'GET',
      `${PATH}?since=${encodeURIComponent(String(second?.updatedAt).replace('Z', '+00:00'))}`,
    );

    expect(exact.body.changes).toMatchObject([{ content: 'two' }]);
    expect(shifted.body.changes).toMatchObject([{ content: 'two' }]);
  });

  test.each([
    ['', 'since'],
    ['since=', 'since'],
    ['since=yesterday', 'since'],
    ['since=1767225600', 'since'],
    ['since=2026-13-01T00:00:00Z', 'since'],
    ['since=2026-02-30T00:00:00Z', 'since'],
    ['since=2026-01-01T00:00:00', 'since'],
    ['since=2026-01-01T00:00:00+01:00', 'since'],
    [`since=${'2'.repeat(65)}`, 'since'],
    [`${EVER}&${EVER}`, 'since'],
    [`${EVER}&cursor=`, 'cursor'],
    [`${EVER}&cursor=abc`, 'cursor'],
    [`${EVER}&cursor=2026-01-01T00:00:00Z|x`, 'cursor'],
    [`${EVER}&cursor=2026-02-30T00:00:00.000000Z|0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11`, 'cursor'],
    [`${EVER}&cursor=${'x'.repeat(513)}`, 'cursor'],
    [`${EVER}&includeDeleted=maybe`, 'includeDeleted'],
    [`${EVER}&until=2027-01-01`, 'until'],
  ])('rejects ?%s with 422, naming the parameter', async (query, path) => {
    const app = await testApp();

    const answer = await app.send('GET', `${PATH}?${query}`);

    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', details: [{ path }] } });
  });
});

async function store(app: TestApp, ...contents: string[]): Promise<string[]> {
  const { body } = await app.send('POST', '/api/memories/batch', { items: contents.map((content) => ({ content })) });
  return (body.results as { id: string }[]).map(({ id }) => id);
}
