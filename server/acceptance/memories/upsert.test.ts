import { describe, expect, test } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';

const PATH = '/api/memories';
const KEYED = { externalKey: 'wiki/deploys', scope: { source: 'wiki', project: 'platform' } };

describe('upsertMemory', () => {
  test('answers the first content of a key with 201 created', async () => {
    const app = await testApp();

    const answer = await app.send('PUT', PATH, { ...KEYED, content: 'Fridays', metadata: { kind: 'page' } });

    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ externalKey: 'wiki/deploys', metadata: { kind: 'page' }, outcome: 'created' });
  });

  test('answers the same content again with 200 deduplicated, metadata merged', async () => {
    const app = await testApp();
    const first = await app.send('PUT', PATH, { ...KEYED, content: 'Fridays', metadata: { kind: 'page' } });

    const again = await app.send('PUT', PATH, { ...KEYED, content: 'Fridays', metadata: { checked: true } });

    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ id: first.body.id, outcome: 'deduplicated', dedupe: 'exact' });
    expect(again.body.metadata).toEqual({ kind: 'page', checked: true });
  });

  test('answers other content with 200 updated, under the same id', async () => {
    const app = await testApp();
    const first = await app.send('PUT', PATH, { ...KEYED, content: 'Fridays' });

    const changed = await app.send('PUT', PATH, { ...KEYED, content: 'Thursdays' });

    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ id: first.body.id, content: 'Thursdays', outcome: 'updated' });
    expect(changed.body).not.toHaveProperty('dedupe');
  });

  test('treats one key in two scopes as two memories', async () => {
    const app = await testApp();
    await app.send('PUT', PATH, { externalKey: 'k', content: 'one' });

    const scoped = await app.send('PUT', PATH, { externalKey: 'k', scope: { project: 'p' }, content: 'two' });

    expect(scoped.status).toBe(201);
  });

  test('does not merge near-duplicates under different keys', async () => {
    const app = await testApp();
    await app.send('PUT', PATH, { externalKey: 'a', content: 'Deploys run on Fridays.' });

    const other = await app.send('PUT', PATH, { externalKey: 'b', content: 'deploys run on fridays' });

    expect(other).toMatchObject({ status: 201, body: { outcome: 'created' } });
  });

  test('answers a key whose memory was deleted with 404', async () => {
    const app = await testApp();
    const { body } = await app.send('PUT', PATH, { ...KEYED, content: 'Fridays' });
    await app.send('DELETE', `${PATH}/${body.id}`);

    const answer = await app.send('PUT', PATH, { ...KEYED, content: 'Thursdays' });

    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: 'Not found' });
  });

  test('answers content of another memory with 409 and its id', async () => {
    const app = await testApp();
    const other = await app.send('POST', PATH, { content: 'Fridays' });

    const answer = await app.send('PUT', PATH, { ...KEYED, content: 'Fridays' });

    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: 'content_conflict', id: other.body.id });
  });

  test.each<[string, unknown, string]>([
    ['a missing external key', { content: 'a' }, 'externalKey'],
    ['an external key of null', { content: 'a', externalKey: null }, 'externalKey'],
    ['an external key with U+0000', { content: 'a', externalKey: 'k\0' }, 'externalKey'],
    ['missing content', { externalKey: 'k' }, 'content'],
    ['content that is too long', { externalKey: 'k', content: 'x'.repeat(100_001) }, 'content'],
    [
      'metadata that contains a subject key',
      { externalKey: 'k', content: 'a', metadata: { subjectKey: 1 } },
      'metadata.subjectKey',
    ],
    ['an incomplete chunk', { externalKey: 'k', content: 'a', metadata: { chunkIndex: 0 } }, 'metadata.documentId'],
    ['an unknown field', { externalKey: 'k', content: 'a', key: 'k' }, 'key'],
  ])('rejects %s with 422, naming the field', async (_, body, path) => {
    const app = await testApp();

    const answer = await app.send('PUT', PATH, body);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'validation_failed' });
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
  });

  test('rejects a subject key before its type is chosen with 422 subject_key_invalid', async () => {
    const app = await testApp();

    const answer = await app.send('PUT', PATH, { ...KEYED, content: 'a', subjectKey: 1 });

    expect(answer).toMatchObject({ status: 422, body: { code: 'subject_key_invalid' } });
  });
});
