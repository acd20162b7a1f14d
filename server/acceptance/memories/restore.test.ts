import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/memories';
const CHANGES = `${PATH}/changes?since=2020-01-01&includeDeleted=true`;

async function stored(app: TestApp, fields: object = {}): Promise<string> {
  const { body } = await app.send('POST', PATH, { content: 'a memory', ...fields });
  return String(body.id);
}

async function deleted(app: TestApp, fields: object = {}): Promise<string> {
  const id = await stored(app, fields);
  await app.send('DELETE', `${PATH}/${id}`);
  return id;
}

describe('restoreMemory', () => {
  test('returns a deleted memory to every read, as a change of the kind updated', async () => {
    const app = await testApp();
    const fields = { content: 'Deploys run on Fridays.', metadata: { kind: 'note' }, externalKey: 'k' };
    const id = await deleted(app, fields);

    const restored = await app.send('POST', `${PATH}/${id}/restore`);

    expect(restored).toMatchObject({ status: 200, body: { id, ...fields } });
    expect(restored.body).not.toHaveProperty('deletedAt');
    expect((await app.send('GET', `${PATH}/${id}`)).body).toEqual(restored.body);
    const found = await app.send('POST', `${PATH}/search`, { query: fields.content });
    expect(found.body.results).toMatchObject([{ id }]);
    const words = await app.send('POST', `${PATH}/search`, { query: 'Fridays', mode: 'keyword' });
    expect(words.body.results).toMatchObject([{ id }]);
    expect((await app.send('GET', `${PATH}/stats`)).body.meta).toEqual({ total: 1, filtered: 1 });
    expect((await app.send('GET', CHANGES)).body.changes).toMatchObject([{ id, change: 'updated' }]);
    expect((await app.send('PUT', PATH, fields)).body).toMatchObject({ id, outcome: 'deduplicated' });
  });

  test('returns an active memory unchanged', async () => {
    const app = await testApp();
    const id = await stored(app);
    const before = await app.send('GET', `${PATH}/${id}`);

    const answer = await app.send('POST', `${PATH}/${id}/restore`);

    expect(answer).toMatchObject({ status: 200, body: before.body });
  });

  test.each([
    ['content_conflict', { content: 'the same' }, { content: 'the same' }],
    ['external_key_conflict', { content: 'one', externalKey: 'k' }, { content: 'another', externalKey: 'k' }],
  ])('is rejected with %s and the id of the conflicting memory', async (code, old, other) => {
    const app = await testApp();
    const id = await deleted(app, old);
    const inTheWay = await stored(app, other);

    const refused = await app.send('POST', `${PATH}/${id}/restore`);

    expect(refused).toMatchObject({ status: 409, body: { code, id: inTheWay } });
    expect((await app.send('GET', `${PATH}/${id}`)).status).toBe(404);
  });
});

describe('purgeMemory', () => {
  test('removes a deleted memory from every read, and keeps a tombstone in the changes', async () => {
    const app = await testApp();
    const id = await deleted(app, { content: 'a secret', metadata: { project: 'p' }, externalKey: 'k' });

    const purged = await app.send('POST', `${PATH}/${id}/purge`);

    expect(purged).toMatchObject({ status: 204, text: '' });
    expect((await app.send('GET', `${PATH}/${id}?includeDeleted=true`)).status).toBe(404);
    expect((await app.send('POST', `${PATH}/${id}/restore`)).status).toBe(404);
    expect((await app.send('GET', `${PATH}/export?includeDeleted=true`)).text).toBe('');
    const { changes } = (await app.send('GET', CHANGES)).body as { changes: Record<string, unknown>[] };
    const [{ updatedAt } = {}] = changes;
    expect(changes).toEqual([{ id, deletedAt: expect.any(String), updatedAt, change: 'deleted', purgedAt: updatedAt }]);
    expect((await app.send('PUT', PATH, { externalKey: 'k', content: 'new' })).status).toBe(201);
  });

  test('rejects an active memory', async () => {
    const app = await testApp();
    const id = await stored(app);

    const refused = await app.send('POST', `${PATH}/${id}/purge`);

    expect(refused).toMatchObject({ status: 409, body: { code: 'memory_active' } });
    expect((await app.send('GET', `${PATH}/${id}`)).status).toBe(200);
  });

  test('is recorded as an audit event, like a restore', async () => {
    const app = await testApp();
    const id = await deleted(app);
    await app.send('POST', `${PATH}/${id}/restore`);
    await app.send('DELETE', `${PATH}/${id}`);
    await app.send('POST', `${PATH}/${id}/purge`);

    const { body } = await app.send('GET', '/api/organization/audit-events?limit=3');

    expect(body.auditEvents).toMatchObject([
      { action: 'memory.purge', memoryId: id, metadata: {} },
      { action: 'memory.delete', memoryId: id },
      { action: 'memory.restore', memoryId: id, metadata: { outcome: 'updated' } },
    ]);
  });
});

describe('a write with the key of a deleted memory', () => {
  test('answers 404 with a header that names that memory', async () => {
    const app = await testApp();
    const id = await deleted(app, { externalKey: 'k' });

    const upsert = await app.send('PUT', PATH, { externalKey: 'k', content: 'new' });
    const batch = await app.send('POST', `${PATH}/batch`, { items: [{ externalKey: 'k', content: 'new' }] });

    expect(upsert).toMatchObject({ status: 404, text: '{"error":"Not found"}' });
    expect(upsert.headers['x-deleted-memory-id']).toBe(id);
    expect(batch.body.results).toEqual([
      { index: 0, error: { code: 'not_found', message: 'Not found', deletedMemoryId: id } },
    ]);
  });

  test('reveals nothing to another organization', async () => {
    const app = await testApp();
    await deleted(app, { externalKey: 'k' });
    const other = await foundOrganization(app.deps);
    const headers = { authorization: `Bearer ${other.token}` };

    const answer = await app.send('PUT', PATH, { externalKey: 'k', content: 'new' }, headers);

    expect(answer.status).toBe(201);
    expect(answer.headers).not.toHaveProperty('x-deleted-memory-id');
  });
});
