import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { foundOrganization, testApp } from '../../testing/app/test-app.js';
import { arbitraryRequest, targetOf } from '../../testing/fixtures/arbitrary-request.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';

/** A request takes several times as long on MongoDB, and most faults are found before the store is used. */
const RUNS = inject('mongoRun') ? 600 : 2_000;

const ID_IN_PATH = /[0-9a-f-]{36}$/;

test('every request, however strange, gets an answer that the document describes', async () => {
  const app = await testApp({ embedder: new LetterEmbedder() });
  await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
  const stored = await app.send('POST', '/api/memories', { content: 'a', metadata: { kind: 'note' } });
  const seen = new Set<number>();

  await fc.assert(
    fc.asyncProperty(arbitraryRequest, async (request) => {
      const { method, body, headers } = request;
      const target = targetOf(request, String(stored.body.id));
      const { status } = await app.send(method, target, body, { 'content-type': 'application/json', ...headers });
      seen.add(status);
    }),
    { numRuns: RUNS },
  );

  expect([...seen]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 405, 422]));
  expect(app.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('requests of another organization, however strange, never read or change what is not theirs', async () => {
  const app = await testApp({ embedder: new LetterEmbedder() });
  const { body: mine } = await app.send('POST', '/api/memories', { content: 'mine alone', metadata: { kind: 'note' } });
  const other = await foundOrganization(app.deps);

  await fc.assert(
    fc.asyncProperty(arbitraryRequest, async ({ id, method, body, headers }) => {
      const path = SAMPLE_REQUESTS[id].path.replace(ID_IN_PATH, String(mine.id));
      const theirs = { 'content-type': 'application/json', ...headers, authorization: `Bearer ${other.token}` };
      const answer = await app.send(method, path, body, theirs);

      expect(answer.text).not.toContain(mine.id);
      expect(answer.text).not.toContain('mine alone');
    }),
    { numRuns: 300 },
  );

  const { outcome: _, ...record } = mine;
  expect((await app.send('GET', `/api/memories/${mine.id}`)).body).toEqual(record);
});
