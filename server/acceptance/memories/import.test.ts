import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

const IMPORT = '/api/memories/import';
const ID = '0198c5a2-8a44-7f00-8c1d-5b7e9a2d6f02';

interface Line {
  id: string;
  createdAt: string;
  updatedAt: string;
}

async function exportOf(app: TestApp, token = app.token): Promise<Line[]> {
  const query = 'includeDeleted=true&limit=500';
  const { text } = await app.send('GET', `/api/memories/export?${query}`, undefined, as(token));
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Line);
}

function as(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

async function fill(app: TestApp): Promise<void> {
  const metadata = { documentId: 'd', chunkTotal: 2 };
  const write = (method: string, path: string, body?: unknown) => app.send(method, `/api/memories${path}`, body);
  const first = await write('POST', '', { content: 'Ana likes tea.', metadata: { kind: 'note' } });
  for (const chunkIndex of [0, 1]) {
    await write('POST', '', { content: 'Same.', metadata: { ...metadata, chunkIndex } });
  }
  await write('PUT', '', { content: 'Scoped.', externalKey: 'k', scope: { source: 's' } });
  await write('PUT', '', { content: 'Not scoped.', externalKey: 'k' });
  const gone = await write('POST', '', { content: 'Gone.' });
  await write('DELETE', `/${String(gone.body.id)}`);
  await write('PATCH', `/${String(first.body.id)}`, { content: 'Ana likes coffee.' });
}

const byChange = (lines: readonly Line[]) => lines.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));

describe('importMemories', () => {
  test('stores an export in an empty organization unchanged', async () => {
    const [app, elsewhere] = [await testApp(), await testApp()];
    await fill(app);
    const lines = await exportOf(app);

    const imported = await elsewhere.send('POST', IMPORT, { items: byChange(lines) });
    const again = await elsewhere.send('POST', IMPORT, { items: lines });

    expect(lines).toHaveLength(6);
    expect(imported).toMatchObject({ status: 200, body: { summary: { ok: 6, failed: 0 } } });
    expect(again.body.results).toEqual(lines.map(({ id }, index) => ({ index, id, outcome: 'present' })));
    expect(await exportOf(elsewhere)).toEqual(lines);
    const found = await elsewhere.send('POST', '/api/memories/search', { query: 'Ana likes coffee.', limit: 1 });
    expect(found.body).toMatchObject({ results: [{ content: 'Ana likes coffee.' }] });
  });

  test('stores an export in another organization of the same service unchanged', async () => {
    const app = await testApp();
    await fill(app);
    const { token } = await foundOrganization(app.deps);
    const lines = byChange(await exportOf(app));

    const first = await app.send('POST', IMPORT, { items: lines }, as(token));
    const again = await app.send('POST', IMPORT, { items: lines }, as(token));

    const results = first.body.results as { id: string; outcome: string }[];
    expect(results.map(({ outcome }) => outcome)).toEqual(lines.map(() => 'created'));
    expect(again.body.results).toEqual(results.map((result) => ({ ...result, outcome: 'present' })));
    const theirs = byChange(await exportOf(app, token));
    expect(theirs).toEqual(lines);
    expect(byChange(await exportOf(app))).toEqual(lines);
  });

  test('keeps times among other memories, and shows imported memories at the end of the feed', async () => {
    const app = await testApp();
    await fill(app);
    const before = await app.send('GET', '/api/memories/changes?since=2020-01-01&includeDeleted=true&limit=500');
    const createdAt = '2024-05-01T00:00:00.000000Z';
    const items = ['One.', 'Two.'].map((content) => ({ content, createdAt, metadata: { kind: 'note' } }));

    await app.send('POST', IMPORT, { items });

    const feed = `/api/memories/changes?since=2020-01-01&includeDeleted=true`;
    const { body } = await app.send('GET', `${feed}&cursor=${encodeURIComponent(String(before.body.nextCursor))}`);
    expect(body.changes).toMatchObject([{ content: 'One.' }, { content: 'Two.' }]);
    expect((await exportOf(app))[0]).toMatchObject({ content: 'One.', createdAt });
    const recent = await app.send('GET', '/api/memories/recent?filter[kind]=note');
    expect(recent.body.results).toMatchObject([
      { content: 'Ana likes coffee.' },
      { content: 'Two.', createdAt: '2024-05-01T00:00:00.000001Z' },
      { content: 'One.', createdAt },
    ]);
  });

  test('loses nothing for a follower of the feed, whatever the order', async () => {
    const [app, elsewhere] = [await testApp(), await testApp()];
    await fill(app);
    const lines = await exportOf(app);
    const followed: string[] = [];
    let cursor = '';
    const poll = async () => {
      const query = `since=2020-01-01&includeDeleted=true${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { body } = await elsewhere.send('GET', `/api/memories/changes?${query}`);
      followed.push(...(body.changes as Line[]).map(({ id }) => id));
      cursor = String(body.nextCursor ?? cursor);
    };

    await elsewhere.send('POST', '/api/memories', { content: 'Here before.' });
    for (const line of lines.toReversed()) {
      await elsewhere.send('POST', IMPORT, { items: [line] });
      await poll();
    }

    expect(followed.slice(1)).toEqual(lines.toReversed().map(({ id }) => id));
  });

  test('imports versions after their memories, and rejects each bad one alone', async () => {
    const app = await testApp();
    const [createdAt, updatedAt] = ['2024-05-01', '2024-05-03'];
    const version = { memoryId: ID, version: 2, content: 'was', updatedAt: createdAt, replacedAt: updatedAt };
    const items = [
      { id: ID, content: 'is', createdAt, updatedAt },
      { ...version, version: 0 },
      { ...version, deletedAt: updatedAt },
      { ...version, memoryId: 7 },
      version,
    ];

    const { status, body } = await app.send('POST', IMPORT, { items });
    const listed = await app.send('GET', `/api/memories/${ID}/versions`);

    expect(status).toBe(200);
    const results = body.results as { outcome?: string; error?: { code: string } }[];
    const failed = 'validation_failed';
    expect(results.map(({ outcome, error }) => outcome ?? error?.code)).toEqual([
      'created',
      failed,
      failed,
      failed,
      'created',
    ]);
    expect(listed.body.versions).toEqual([
      {
        version: 2,
        content: 'was',
        metadata: {},
        updatedAt: '2024-05-01T00:00:00.000000Z',
        replacedAt: '2024-05-03T00:00:00.000000Z',
      },
    ]);
  });

  test('rejects each bad item alone', async () => {
    const app = await testApp();
    const items = [
      { content: '' },
      { content: 'a', id: ID.toUpperCase() },
      { content: 'a', updated: '2024-01-01' },
      { content: 'a', createdAt: 'yesterday' },
      7,
      { content: 'fine', id: ID },
    ];

    const { status, body } = await app.send('POST', IMPORT, { items });

    expect(status).toBe(200);
    expect(body.summary).toEqual({ ok: 1, failed: 5 });
    const results = body.results as { error?: { code: string; message: string } }[];
    expect(results.slice(0, 5).map(({ error }) => error?.code)).toEqual(Array(5).fill('validation_failed'));
    expect(results[1]?.error?.message).toBe('id must be a UUID in lower case');
    expect(results[5]).toEqual({ index: 5, id: ID, outcome: 'created' });
  });

  test('counts what it stores as ingests, and nothing else', async () => {
    const app = await testApp();
    const usage = async () => (await app.send('GET', '/api/organization/usage')).body as { ingest: { used: number } };
    const items = [{ content: 'One.' }, { content: 'Two.' }, { content: 'One.' }];

    await app.send('POST', IMPORT, { items });

    expect((await usage()).ingest.used).toBe(2);
  });
});
