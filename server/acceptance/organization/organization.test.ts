import { describe, expect, test } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';

const PATH = '/api/organization/settings';

describe('getOrganizationSettings', () => {
  test('answers null for a subject key type that is not chosen yet', async () => {
    const app = await testApp();

    const answer = await app.send('GET', PATH);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      subjectKeyType: null,
      semanticDedupe: true,
      keptVersions: 10,
      deletedRetentionDays: null,
    });
  });
});

describe('updateOrganizationSettings', () => {
  test('answers the new settings, and keeps those that are not named', async () => {
    const app = await testApp();

    const typed = await app.send('PATCH', PATH, { subjectKeyType: 'string' });
    const switched = await app.send('PATCH', PATH, { semanticDedupe: false });

    expect(typed).toMatchObject({ status: 200, body: { subjectKeyType: 'string', semanticDedupe: true } });
    expect(switched).toMatchObject({ status: 200, body: { subjectKeyType: 'string', semanticDedupe: false } });
    expect((await app.send('GET', PATH)).body).toEqual(switched.body);
  });

  test('answers 409 to another type while any memory, deleted ones included, has a subject key', async () => {
    const app = await testApp();
    await app.send('PATCH', PATH, { subjectKeyType: 'string' });
    const { body } = await app.send('POST', '/api/memories', { content: 'a', subjectKey: 's' });
    await app.send('DELETE', `/api/memories/${body.id}`);

    const other = await app.send('PATCH', PATH, { subjectKeyType: 'integer' });
    const same = await app.send('PATCH', PATH, { subjectKeyType: 'string' });

    expect(other).toMatchObject({ status: 409, body: { code: 'subject_key_type_in_use' } });
    expect(same.status).toBe(200);
  });

  test.each<[unknown, string]>([
    [{}, ''],
    [{ subjectKeyType: 'uuid' }, 'subjectKeyType'],
    [{ subjectKeyType: null }, 'subjectKeyType'],
    [{ semanticDedupe: 'true' }, 'semanticDedupe'],
    [{ semanticDedupe: true, name: 'x' }, 'name'],
  ])('rejects %j with 422', async (body, path) => {
    const app = await testApp();

    const answer = await app.send('PATCH', PATH, body);

    expect(answer.status).toBe(422);
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
  });
});
