import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

async function storedPath(
  app: TestApp,
  body: object = { content: 'old', metadata: { a: 1, b: { c: 1 } } },
): Promise<string> {
  const answer = await app.send('POST', '/api/memories', body);
  return `/api/memories/${answer.body.id}`;
}

describe.each([
  ['updateMemory', 'PATCH'],
  ['updateMemoryAlias', 'PUT'],
])('%s', (_, method) => {
  test('answers new content with 200 updated', async () => {
    const app = await testApp();
    const path = await storedPath(app);

    const answer = await app.send(method, path, { content: 'new' });

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ content: 'new', metadata: { a: 1, b: { c: 1 } }, outcome: 'updated' });
  });

  test('merges metadata one level deep', async () => {
    const app = await testApp();
    const path = await storedPath(app);

    const answer = await app.send(method, path, { metadata: { b: { d: 2 }, e: null } });

    expect(answer.body.metadata).toEqual({ a: 1, b: { d: 2 }, e: null });
  });

  test.each([true, 'true', '1'])('replaces metadata if metadataReplace is %j', async (metadataReplace) => {
    const app = await testApp();
    const path = await storedPath(app);

    const answer = await app.send(method, path, { metadata: { only: 1 }, metadataReplace });

    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.metadata).toEqual({ only: 1 });
  });

  test.each([false, 'false', '0'])('merges metadata if metadataReplace is %j', async (metadataReplace) => {
    const app = await testApp();
    const path = await storedPath(app, { content: 'old', metadata: { a: 1 } });

    const answer = await app.send(method, path, { metadata: { b: 2 }, metadataReplace });

    expect(answer.body.metadata).toEqual({ a: 1, b: 2 });
  });

  test.each([1, 0, 'yes', 'TRUE', '', null, []])('rejects %j as metadataReplace with 422', async (metadataReplace) => {
    const app = await testApp();
    const path = await storedPath(app);

    const answer = await app.send(method, path, { metadata: { b: 2 }, metadataReplace });

    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'metadataReplace' }] } });
  });

  test('sets a subject key', async () => {
    const app = await testApp();
    const path = await storedPath(app);
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });

    const answer = await app.send(method, path, { subjectKey: 'user-1' });

    expect(answer).toMatchObject({ status: 200, body: { subjectKey: 'user-1', content: 'old' } });
  });

  test('answers content of another memory with 409 and its id', async () => {
    const app = await testApp();
    const other = await app.send('POST', '/api/memories', { content: 'taken' });
    const path = await storedPath(app);

    const answer = await app.send(method, path, { content: 'taken' });

    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: 'content_conflict', id: other.body.id });
  });

  test.each<[string, unknown, string]>([
    ['an empty object', {}, ''],
    ['metadataReplace alone', { metadataReplace: true }, ''],
    ['null content', { content: null }, 'content'],
    ['blank content', { content: '  ' }, 'content'],
    ['content that is too long', { content: 'x'.repeat(100_001) }, 'content'],
    ['null metadata', { metadata: null }, 'metadata'],
    ['metadata with an external key', { metadata: { externalKey: 'k' } }, 'metadata.externalKey'],
    ['an incomplete chunk', { metadata: { chunkTotal: 2 } }, 'metadata.documentId'],
    ['an external key', { content: 'a', externalKey: 'k' }, 'externalKey'],
    ['an unknown field', { content: 'a', id: 'x' }, 'id'],
  ])('rejects %s with 422', async (_name, body, detail) => {
    const app = await testApp();
    const path = await storedPath(app);

    const answer = await app.send(method, path, body);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'validation_failed' });
    expect(answer.body.details).toContainEqual({ path: detail, message: expect.any(String) });
  });

  test('rejects a subject key of the wrong type with 422 subject_key_invalid', async () => {
    const app = await testApp();
    const path = await storedPath(app);
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });

    const answer = await app.send(method, path, { subjectKey: 1 });

    expect(answer).toMatchObject({ status: 422, body: { code: 'subject_key_invalid' } });
  });

  test('answers unknown, foreign, malformed and deleted ids identically', async () => {
    const app = await testApp();
    const foreign = await foreignId(app);
    const deleted = await storedPath(app);
    await app.send('DELETE', deleted);

    const ids = [app.deps.newId(), foreign, 'no-uuid', '%zz', '%F0', 'a%2Fb', '..'];
    const paths = [deleted, ...ids.map((id) => `/api/memories/${id}`)];
    const answers = await Promise.all(paths.map((path) => app.send(method, path, { content: 'mine' })));

    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"error":"Not found"}']));
  });
});

describe('deleteMemory', () => {
  test('answers with 204 and no body, and removes the memory from every read', async () => {
    const app = await testApp();
    const path = await storedPath(app);

    const answer = await app.send('DELETE', path);

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await app.send('GET', path)).status).toBe(404);
    expect((await app.send('GET', '/api/memories/recent')).body.results).toEqual([]);
  });

  test('answers a second delete with 404, like unknown, foreign and malformed ids', async () => {
    const app = await testApp();
    const foreign = await foreignId(app);
    const path = await storedPath(app);
    await app.send('DELETE', path);

    const paths = [path, ...[app.deps.newId(), foreign, 'x', '%zz'].map((id) => `/api/memories/${id}`)];
    const answers = await Promise.all(paths.map((each) => app.send('DELETE', each)));

    expect(answers.map(({ status, text }) => [status, text])).toEqual(paths.map(() => [404, '{"error":"Not found"}']));
  });

  test('rejects a query parameter with 422', async () => {
    const app = await testApp();
    const path = await storedPath(app);

    const answer = await app.send('DELETE', `${path}?purge=true`);

    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'purge' }] } });
  });
});

/** Returns the id of a memory of another organization. */
async function foreignId(app: TestApp): Promise<string> {
  const { token } = await foundOrganization(app.deps);
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await app.send('POST', '/api/memories', { content: 'theirs' }, headers);
  return String(body.id);
}
