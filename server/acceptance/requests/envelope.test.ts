import { describe, expect, test } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';

describe('every answer', () => {
  test.each(['abc', 'A-b_9', 'x'.repeat(64)])('repeats the request id %s', async (id) => {
    const app = await testApp();

    const answer = await app.send('GET', '/health/live', undefined, { 'x-request-id': id });

    expect(answer.headers['x-request-id']).toBe(id);
  });

  test.each([undefined, '', 'x'.repeat(65), 'a b', 'a,b', 'ü', 'a"b'])(
    'replaces %j by a new request id',
    async (id) => {
      const app = await testApp();

      const header = id === 'ü' ? Buffer.from(id).toString('latin1') : id;
      const answers = await Promise.all(
        [1, 2].map(() => app.send('GET', '/health/live', undefined, { 'x-request-id': header })),
      );

      const ids = answers.map(({ headers }) => headers['x-request-id']);
      expect(new Set([...ids, header]).size).toBe(3);
    },
  );

  test.each([
    ['a success', 'GET', '/health/live'],
    ['a 204', 'DELETE', '/api/memories/'],
    ['an unknown path', 'GET', '/nothing'],
    ['an unknown method', 'DELETE', '/health/live'],
    ['a refusal', 'GET', '/api/memories/recent?limit=0'],
    ['a stream', 'GET', '/api/memories/export'],
  ])('is marked as not to be stored or sniffed: %s', async (_, method, path) => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', { content: 'a' });

    const answer = await app.send(method, method === 'DELETE' && path.endsWith('/') ? `${path}${body.id}` : path);

    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });
});

describe('an unknown path', () => {
  test.each([
    '/',
    '/api',
    '/api/memories/',
    '/api//memories',
    '//api/memories',
    '/API/memories',
    '/api/memories/a/b',
    '/api/%6demories',
    '/%zz',
    '/openapi-yaml',
    '/openapi.yaml/',
    '/openapi.yamlx',
    '/x/openapi.yaml',
    '/openapi%2Eyaml',
    '/OPENAPI.yaml',
    '/api/memories/%zz',
    '/api/memories/%C3',
    '/api/webhooks/outbound/%zz/deliveries',
    '/health/live%',
    '/mcp%zz',
    '/mcp/',
    '/health',
    '/%00',
    '/constructor',
    '/__proto__',
  ])('%s answers 404, with or without a credential', async (path) => {
    const app = await testApp();

    const answers = await Promise.all([
      app.send('GET', path),
      app.send('POST', path, '{', { authorization: undefined }),
      app.send('OPTIONS', path, undefined, { authorization: undefined }),
    ]);

    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([404, { error: 'Not found' }]));
  });
});

describe('an unsupported method', () => {
  test.each([
    ['GET', '/api/memories', 'PUT, POST'],
    ['DELETE', '/api/memories', 'PUT, POST'],
    ['POST', '/api/memories/0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11', 'GET, HEAD, PUT, DELETE, PATCH'],
    ['OPTIONS', '/api/memories', 'PUT, POST'],
    ['TRACE', '/health/live', 'GET, HEAD'],
    ['HEAD', '/api/memories', 'PUT, POST'],
    ['DELETE', '/api/memories/batch', 'POST'],
    ['GET', '/api/memories/batch', 'POST'],
    ['PATCH', '/api/memories/search', 'POST'],
    ['OPTIONS', '/api/memories/batch', 'POST'],
    ['DELETE', '/api/memories/stats', 'GET, HEAD'],
    ['GET', '/api/memories/search', 'POST'],
    ['PUT', '/api/memories/export', 'GET, HEAD'],
    ['PROPFIND', '/openapi.json', 'GET, HEAD'],
  ])('%s %s answers 405 with the supported methods', async (method, path, allow) => {
    const app = await testApp();

    const answer = await app.send(method, path, undefined, { authorization: undefined });

    expect(answer).toMatchObject({ status: 405, headers: { allow } });
    if (method !== 'HEAD')
      expect(answer.body).toMatchObject({ code: 'method_not_allowed', error: `This path accepts only ${allow}` });
  });
});

describe('HEAD', () => {
  test.each([
    '/api/memories/recent',
    '/api/memories/export',
    '/api/memories/stats',
    '/health/ready',
    '/openapi.json',
    '/openapi.yaml',
  ])('%s is answered like GET, without the body', async (path) => {
    const app = await testApp();
    await app.send('POST', '/api/memories', { content: 'a' });

    const get = await app.send('GET', path);
    const head = await app.send('HEAD', path);

    expect(head).toMatchObject({ status: get.status, text: '' });
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    if (get.headers['content-length'] && path !== '/health/ready') {
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    }
  });

  test('is rejected like GET', async () => {
    const app = await testApp();

    const answer = await app.send('HEAD', '/api/memories/recent?limit=0');

    expect(answer.status).toBe(422);
  });
});
