import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

const SETTINGS = '/api/organization/settings';

interface Version {
  version: number;
  content: string;
}

async function stored(app: TestApp, body: object): Promise<string> {
  const { body: memory } = await app.send('POST', '/api/memories', body);
  return String(memory.id);
}

async function versionsOf(app: TestApp, id: string, query = ''): Promise<Version[]> {
  const { body } = await app.send('GET', `/api/memories/${id}/versions${query}`);
  return body.versions as Version[];
}

describe('exportMemoryVersions', () => {
  test('returns the versions of all memories, deleted ones included, page by page, and of no other organization', async () => {
    const app = await testApp();
    const stranger = await foundOrganization(app.deps);
    const authorization = `Bearer ${stranger.token}`;
    const ids = [await stored(app, { content: 'one' }), await stored(app, { content: 'two' })];
    for (const id of ids) {
      for (const n of [1, 2]) await app.send('PATCH', `/api/memories/${id}`, { metadata: { n } });
    }
    await app.send('DELETE', `/api/memories/${ids[0]}`);

    const path = '/api/memories/versions?limit=3';
    const { body: first } = await app.send('GET', path);
    const { body: rest } = await app.send('GET', `${path}&cursor=${encodeURIComponent(String(first.nextCursor))}`);
    const theirs = await app.send('GET', path, undefined, { authorization });

    expect(first.meta).toEqual({ count: 3, hasMore: true });
    expect(rest.meta).toEqual({ count: 1, hasMore: false });
    expect([...(first.versions as object[]), ...(rest.versions as object[])]).toMatchObject(
      ids.toReversed().flatMap((memoryId) => [
        { memoryId, version: 1, metadata: {} },
        { memoryId, version: 2, metadata: { n: 1 } },
      ]),
    );
    expect(theirs.body).toEqual({ versions: [], meta: { count: 0, hasMore: false } });
  });
});

describe('listMemoryVersions', () => {
  test('returns what every kind of change has replaced, newest first', async () => {
    const app = await testApp();
    const keyed = { externalKey: 'k', content: 'one' };
    const { body: memory } = await app.send('PUT', '/api/memories', { ...keyed, metadata: { a: 1 } });
    const path = `/api/memories/${memory.id}`;

    await app.send('PUT', '/api/memories', { ...keyed, content: 'two' });
    await app.send('PATCH', path, { metadata: { b: 2 } });
    await app.send('POST', '/api/memories', { content: 'two', metadata: { c: 3 } });
    const last = await app.send('PATCH', path, { content: 'three' });
    await app.send('PATCH', path, { content: 'three' });
    const { status, body } = await app.send('GET', `${path}/versions`);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      versions: [
        { version: 4, content: 'two', metadata: { a: 1, b: 2, c: 3 }, replacedAt: last.body.updatedAt },
        { version: 3, content: 'two', metadata: { a: 1, b: 2 } },
        { version: 2, content: 'two', metadata: { a: 1 } },
        { version: 1, content: 'one', metadata: { a: 1 }, updatedAt: memory.updatedAt },
      ],
      meta: { count: 4, hasMore: false },
    });
  });

  test('continues with a cursor', async () => {
    const app = await testApp();
    const id = await stored(app, { content: 'one', metadata: { n: 0 } });
    for (const n of [1, 2, 3]) await app.send('PATCH', `/api/memories/${id}`, { metadata: { n } });

    const { body: first } = await app.send('GET', `/api/memories/${id}/versions?limit=2`);
    const rest = await versionsOf(app, id, `?limit=2&cursor=${encodeURIComponent(String(first.nextCursor))}`);

    expect(first).toMatchObject({ versions: [{ version: 3 }, { version: 2 }], meta: { count: 2, hasMore: true } });
    expect(rest.map(({ version }) => version)).toEqual([1]);
  });

  test('finds the versions of a soft-deleted memory only with includeDeleted', async () => {
    const app = await testApp();
    const id = await stored(app, { content: 'one' });
    await app.send('PATCH', `/api/memories/${id}`, { content: 'two' });
    await app.send('DELETE', `/api/memories/${id}`);

    const hidden = await app.send('GET', `/api/memories/${id}/versions`);

    expect(hidden).toMatchObject({ status: 404, body: { error: 'Not found' } });
    expect(await versionsOf(app, id, '?includeDeleted=true')).toMatchObject([{ content: 'one' }]);
  });

  test('returns as many as the organization keeps', async () => {
    const app = await testApp();
    const changed = await app.send('PATCH', SETTINGS, { keptVersions: 1 });
    const id = await stored(app, { content: 'one', metadata: { n: 0 } });
    for (const n of [1, 2, 3]) await app.send('PATCH', `/api/memories/${id}`, { metadata: { n } });
    const one = await versionsOf(app, id);
    await app.send('PATCH', SETTINGS, { keptVersions: 0 });
    await app.send('PATCH', `/api/memories/${id}`, { metadata: { n: 4 } });

    expect(changed).toMatchObject({ status: 200, body: { keptVersions: 1 } });
    expect(one.map(({ version }) => version)).toEqual([3]);
    expect(await versionsOf(app, id)).toEqual([]);
  });

  test.each([-1, 101, 1.5, '3', null])('rejects %j as keptVersions with 422', async (keptVersions) => {
    const app = await testApp();

    const answer = await app.send('PATCH', SETTINGS, { keptVersions });

    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'keptVersions' }] } });
  });
});

describe('restoreMemoryVersion', () => {
  test('restores the content, the metadata and the subject key, and keeps what it replaces', async () => {
    const app = await testApp();
    await app.send('PATCH', SETTINGS, { subjectKeyType: 'string' });
    const id = await stored(app, { content: 'one', metadata: { a: 1 } });
    const path = `/api/memories/${id}`;
    await app.send('PATCH', path, { content: 'two', metadata: { b: 2 }, metadataReplace: true, subjectKey: 'anna' });

    const restored = await app.send('POST', `${path}/versions/1/restore`);

    const { body } = await app.send('GET', path);
    const found = await app.send('POST', '/api/memories/search', { query: 'one' });
    expect(restored).toMatchObject({ status: 200, body: { id, content: 'one', outcome: 'updated' } });
    expect(body).toMatchObject({ content: 'one', metadata: { a: 1 }, updatedAt: restored.body.updatedAt });
    expect(body).not.toHaveProperty('subjectKey');
    expect(found.body.results).toMatchObject([{ id, content: 'one' }]);
    expect(await versionsOf(app, id)).toMatchObject([
      { version: 2, content: 'two', metadata: { b: 2 }, subjectKey: 'anna' },
      { version: 1, content: 'one' },
    ]);
  });

  test('is rejected with 409 while another memory has the content', async () => {
    const app = await testApp();
    const id = await stored(app, { content: 'one' });
    await app.send('PATCH', `/api/memories/${id}`, { content: 'two' });
    const other = await stored(app, { content: 'one' });

    const refused = await app.send('POST', `/api/memories/${id}/versions/1/restore`);

    expect(refused).toMatchObject({ status: 409, body: { code: 'content_conflict', id: other } });
    expect((await app.send('GET', `/api/memories/${id}`)).body).toMatchObject({ content: 'two' });
  });

  test.each(['2', '0', '01', '-1', '1.0', 'x', '1e1', '99999999999999999999'])(
    'does not find version %s',
    async (n) => {
      const app = await testApp();
      const id = await stored(app, { content: 'one' });
      await app.send('PATCH', `/api/memories/${id}`, { content: 'two' });

      const answer = await app.send('POST', `/api/memories/${id}/versions/${n}/restore`);

      expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
    },
  );

  test('does not find a version of a soft-deleted memory', async () => {
    const app = await testApp();
    const id = await stored(app, { content: 'one' });
    await app.send('PATCH', `/api/memories/${id}`, { content: 'two' });
    await app.send('DELETE', `/api/memories/${id}`);

    expect(await app.send('POST', `/api/memories/${id}/versions/1/restore`)).toMatchObject({ status: 404 });
  });

  test('is audited under an action of its own, without content', async () => {
    const app = await testApp();
    const id = await stored(app, { content: 'one' });
    await app.send('PATCH', `/api/memories/${id}`, { content: 'two' });
    await app.send('POST', `/api/memories/${id}/versions/1/restore`);

    const { body } = await app.send('GET', '/api/organization/audit-events?action=memory.restore_version');

    expect(body.auditEvents).toMatchObject([
      { action: 'memory.restore_version', memoryId: id, metadata: { outcome: 'updated', contentLength: 3 } },
    ]);
  });
});
