import { describe, expect, test } from 'vitest';
import { loadContract } from '../../http/contract/contract.js';
import { credentialFor } from '../../testing/app/sign-in.js';
import { testApp } from '../../testing/app/test-app.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';

const { operations } = await loadContract();
const withJson = operations.filter(({ hasBody, hasRawBody }) => hasBody && !hasRawBody);
const withQuery = operations.filter(({ abilities }) => abilities !== undefined);
const withParameter = operations.filter(({ id }) => SAMPLE_REQUESTS[id].path.includes('0198c5a2'));

const NULL = '\u0000';

interface Place {
  path: string;
  body: unknown;
}

/** Returns copies of the value, each with U+0000 at the end of another string or key, and the path to it. */
function withNull(value: unknown, path = ''): Place[] {
  if (typeof value === 'string') return [{ path, body: value + NULL }];
  if (typeof value !== 'object' || value === null) return [];
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  const entries = Object.entries(value);
  const replaced = (key: string, own: [string, unknown]) => {
    const members = entries.map((entry) => (entry[0] === key ? own : entry));
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  return entries.flatMap(([key, member]) => [
    ...withNull(member, at(key)).map((place) => ({ path: place.path, body: replaced(key, [key, place.body]) })),
    ...(Array.isArray(value) ? [] : [{ path: at(key), body: replaced(key, [key + NULL, member]) }]),
  ]);
}

describe.each(withJson.filter(({ id }) => !['ingestMemoryBatch', 'importMemories'].includes(id)))(
  'the body of $id',
  ({ id, sessionOnly }) => {
    const { method, path, body } = SAMPLE_REQUESTS[id];

    test('must not contain U+0000 in any string or key', async () => {
      const app = await testApp();
      const credential = await credentialFor(app, { sessionOnly });
      const places = withNull(body);

      const answers = await Promise.all(places.map((place) => app.send(method, path, place.body, credential)));

      expect(places.length).toBeGreaterThan(0);
      expect(answers.map(({ status, body: { code, details } }) => ({ status, code, details }))).toEqual(
        places.map((place) => ({
          status: 422,
          code: 'validation_failed',
          details: [{ path: place.path, message: 'must not contain the character U+0000' }],
        })),
      );
    });
  },
);

test('an item of a batch that contains U+0000 fails alone', async () => {
  const app = await testApp();
  const whole = { content: 'a', metadata: { k: ['v'] }, externalKey: 'k', scope: { source: 's', project: 'p' } };
  const broken = withNull(whole).map(({ body }) => body);

  const { body } = await app.send('POST', '/api/memories/batch', { items: [...broken, whole], continueOnError: true });

  const results = body.results as { index: number; error?: string }[];
  expect(results.filter(({ error }) => error === undefined).map(({ index }) => index)).toEqual([broken.length]);
});

test('the fields beside the items of a batch must not contain U+0000', async () => {
  const app = await testApp();

  const answer = await app.send('POST', '/api/memories/batch', { items: [{ content: 'a' }], [`x${NULL}`]: 1 });

  expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'x' }] } });
});

test.each(withQuery)('the query string of $id must not contain U+0000', async ({ id }) => {
  const app = await testApp();
  const { method, path, body } = SAMPLE_REQUESTS[id];
  const separator = path.includes('?') ? '&' : '?';

  const queries = ['x=a%00b', 'x%00=a', 'filter[kind]=%00', `filter=${encodeURIComponent('{"source":"a\\u0000"}')}`];
  const answers = await Promise.all(queries.map((query) => app.send(method, path + separator + query, body)));

  expect(answers.map(({ status }) => status)).toEqual(queries.map(() => 422));
});

test.each(withParameter)('a path of $id with U+0000 is answered like that of an unknown id', async ({ id }) => {
  const app = await testApp();
  const { method, path, body } = SAMPLE_REQUESTS[id];

  const [unknown, ...others] = await Promise.all(
    [path, `${path}%00`, path.replace('0198c5a2', '0198c5a2%00')].map((each) => app.send(method, each, body)),
  );

  expect(others.map(({ status, body: { code } }) => ({ status, code }))).toEqual(
    others.map(() => ({ status: unknown?.status, code: unknown?.body.code })),
  );
});

test('an id is not found by its part before U+0000', async () => {
  const app = await testApp();
  const { body } = await app.send('POST', '/api/memories', { content: 'kept' });
  const path = `/api/memories/${String(body.id)}`;

  for (const method of ['GET', 'DELETE']) expect(await app.send(method, `${path}%00x`)).toMatchObject({ status: 404 });
  expect(await app.send('PATCH', `${path}%00x`, { content: 'changed' })).toMatchObject({ status: 404 });

  expect(await app.send('GET', path)).toMatchObject({ status: 200, body: { content: 'kept' } });
});

test('the escape sequence as literal text is accepted', async () => {
  const app = await testApp();

  const answer = await app.send('POST', '/api/memories', { content: 'written as \\u0000 in JSON' });

  expect(answer).toMatchObject({ status: 201, body: { content: 'written as \\u0000 in JSON' } });
});

test('headers cannot contain U+0000', async () => {
  const app = await testApp();

  const sending = app.send('GET', '/api/memories/recent', undefined, { 'x-organization-id': `x${NULL}` });

  await expect(sending).rejects.toThrow();
});
