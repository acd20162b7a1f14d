import { describe, expect, test } from 'vitest';
import { foundOrganization, testApp } from '../../testing/app/test-app.js';

describe('getMemory', () => {
  test('answers a stored memory as it was written', async () => {
    const app = await testApp();
    const { body } = await app.send('PUT', '/api/memories', {
      content: 'a',
      externalKey: 'k',
      metadata: { n: [1, null] },
    });

    const answer = await app.send('GET', `/api/memories/${body.id}`);

    const { outcome: _, ...record } = body;
    expect(answer).toMatchObject({ status: 200, body: record });
    expect(Object.keys(answer.body).sort()).toEqual(Object.keys(record).sort());
  });

  test.each(['true', '1'])('answers a deleted memory if includeDeleted is %s, and else 404', async (includeDeleted) => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', { content: 'a' });
    await app.send('DELETE', `/api/memories/${body.id}`);

    const answer = await app.send('GET', `/api/memories/${body.id}?includeDeleted=${includeDeleted}`);
    const refused = await app.send('GET', `/api/memories/${body.id}?includeDeleted=0`);

    expect(answer).toMatchObject({ status: 200, body: { content: 'a', deletedAt: expect.any(String) } });
    expect(refused.status).toBe(404);
  });

  test('answers unknown, foreign, malformed and deleted ids identically', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const theirs = { authorization: `Bearer ${other.token}` };
    const foreign = await app.send('POST', '/api/memories', { content: 'theirs' }, theirs);
    const deleted = await app.send('POST', '/api/memories', { content: 'gone' });
    await app.send('DELETE', `/api/memories/${deleted.body.id}`);

    const ids = [
      app.deps.newId(),
      foreign.body.id,
      deleted.body.id,
      'x',
      '%zz',
      '%F0%9F',
      'a%2Fb',
      '..',
      "'",
      '%00',
      'x'.repeat(8_000),
    ];
    const answers = await Promise.all(ids.map((id) => app.send('GET', `/api/memories/${id}`)));

    expect(answers.map(({ status, text }) => [status, text])).toEqual(ids.map(() => [404, '{"error":"Not found"}']));
  });

  test.each(['yes', '', 'TRUE', '2', 'true&includeDeleted=true'])(
    'rejects includeDeleted=%s with 422',
    async (value) => {
      const app = await testApp();

      const answer = await app.send('GET', `/api/memories/${app.deps.newId()}?includeDeleted=${value}`);

      expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'includeDeleted' }] } });
    },
  );

  test.each(['fields=id', 'filter[kind]=a', 'filter={}', '__proto__=1'])(
    'rejects the parameter %s with 422',
    async (query) => {
      const app = await testApp();

      const answer = await app.send('GET', `/api/memories/${app.deps.newId()}?${query}`);

      expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
      expect(answer.body.details).toMatchObject([{ path: query.split('=')[0] }]);
    },
  );

  test('shows both keys in the metadata if older clients are served, and stores neither there', async () => {
    const app = await testApp({}, { metadataMirror: true });
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    const keyed = { content: 'a', externalKey: 'k', subjectKey: 's', metadata: { kind: 'x' } };
    const { body } = await app.send('PUT', '/api/memories', keyed);

    const answer = await app.send('GET', `/api/memories/${body.id}`);

    expect(answer.body.metadata).toEqual({ kind: 'x', externalKey: 'k', subjectKey: 's' });
    expect(body.metadata).toEqual(answer.body.metadata);
    expect(await app.deps.store.memories.findById(app.organizationId, String(body.id))).toMatchObject({
      metadata: { kind: 'x' },
    });
  });
});
