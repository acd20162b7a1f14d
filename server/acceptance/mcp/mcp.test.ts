import { describe, expect, test } from 'vitest';
import { HttpClient } from '../../testing/app/http-client.js';
import { testApp } from '../../testing/app/test-app.js';
import { ACCEPT, PING, post } from '../../testing/app/tool-message.js';

describe('the tool interface', () => {
  test('answers a message in one JSON object, with the headers of every answer', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { 'x-request-id': 'my-own' });

    expect(answer).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
    expect(answer.headers).toMatchObject({ 'x-request-id': 'my-own', 'cache-control': 'no-store' });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  test('accepts a notification and sends no answer', async () => {
    const app = await testApp();

    const answer = await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' });

    expect(answer).toMatchObject({ status: 202, text: '' });
  });

  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'speaks version %s of the protocol',
    async (protocolVersion) => {
      const app = await testApp();
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };

      const hello = await post(app, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const list = await post(
        app,
        { jsonrpc: '2.0', id: 2, method: 'tools/list' },
        { 'mcp-protocol-version': protocolVersion },
      );

      expect(hello.body).toMatchObject({ result: { protocolVersion, serverInfo: { name: 'memory-service' } } });
      expect(list.status).toBe(200);
      expect(hello.headers['mcp-session-id']).toBeUndefined();
    },
  );

  test('rejects a version of the protocol that it does not know', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { 'mcp-protocol-version': '1999-01-01' });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      error: { data: { supported: expect.arrayContaining(['2025-11-25']) } },
    });
  });

  test.each(['GET', 'DELETE', 'PUT'])('answers %s with 405: it has no stream and no session', async (method) => {
    const app = await testApp();

    const answer = await new HttpClient(app.port).send(method, '/mcp', undefined, { accept: ACCEPT });

    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.allow).toBe('POST');
  });

  test.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/mcp/.well-known/openid-configuration',
    '/register',
  ])('answers a client that looks for OAuth at %s with 404 in JSON', async (path) => {
    const app = await testApp();

    const answer = await app.send('GET', path);

    expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
    expect(answer.headers['content-type']).toBe('application/json');
  });
});

describe('the limits of a message', () => {
  test.each([
    ['invalid JSON', '{', 400, 'invalid_json'],
    ['nothing', '', 400, 'invalid_json'],
    ['a batch of messages', JSON.stringify([PING, PING]), 400, 'invalid_json'],
    ['a string', '"ping"', 400, 'invalid_json'],
    ['JSON without end', '['.repeat(100_000), 422, 'validation_failed'],
    ['an object of very many members', JSON.stringify({ ...PING, params: manyMembers() }), 400, 'invalid_json'],
    [
      'arguments of very many members',
      JSON.stringify({ ...PING, params: { arguments: manyMembers() } }),
      400,
      'invalid_json',
    ],
  ])('rejects %s', async (_what, body, status, code) => {
    const app = await testApp();

    const answer = await post(app, body);

    expect(answer).toMatchObject({ status, body: { code } });
  });

  test('rejects a body longer than any batch before it is parsed', async () => {
    const app = await testApp({ limits: { batchBodyBytes: 1_000 } });

    const answer = await post(app, `{"jsonrpc":"2.0","pad":"${'x'.repeat(1_000)}"}`);

    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large', max: 1_000 } });
  });

  test('rejects a caller that does not accept JSON, and accepts one that does not say', async () => {
    const app = await testApp();

    const refused = await post(app, PING, { accept: 'text/html' });
    const silent = await post(app, PING, { accept: undefined });

    expect(refused).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
    expect(silent.status).toBe(200);
  });

  test('rejects a body that is not sent as JSON', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { 'content-type': 'text/plain' });

    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  test('answers an unknown method with an error of the protocol', async () => {
    const app = await testApp();

    const answer = await post(app, { jsonrpc: '2.0', id: 7, method: 'memories/erase' });

    expect(answer.body).toMatchObject({ id: 7, error: { code: -32_601 } });
  });
});

function manyMembers(): Record<string, number> {
  return Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index]));
}
