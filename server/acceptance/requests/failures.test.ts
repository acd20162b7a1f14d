import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { TextTurns } from '../../adapters/text-work/text-turns.js';
import { LostWorkError } from '../../ports/lost-work-error.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

/** Expected events come within seconds; a busy machine may need longer. */
const PATIENT = { timeout: 60_000 };

describe('an internal error', () => {
  test('answers 500 without details, and is logged with its stack under the same id', async () => {
    const app = await testApp({ now: () => Number.NaN });
    const url = `http://127.0.0.1:${app.port}/api/memories/stats`;

    const response = await fetch(url, { headers: { authorization: `Bearer ${app.token}` } });
    const body = (await response.json()) as Record<string, unknown>;

    expect(response.status).toBe(500);
    expect(body).toEqual({
      error: 'Internal error',
      code: 'internal_error',
      requestId: response.headers.get('x-request-id'),
    });
    await vi.waitFor(() => expect(app.logged).toHaveLength(1), PATIENT);
    const [{ err, ...line }] = app.logged as [(typeof app.logged)[0]];
    expect(line).toMatchObject({ level: 'error', status: 500, code: 'internal_error', requestId: body.requestId });
    expect((err as Error).stack).toContain('.ts:');
  });
});

test('a write whose thread ends before its result stores nothing', async () => {
  const ask = () => Promise.reject(new LostWorkError('the test ended the thread'));
  const app = await testApp({ texts: new TextTurns({ ask }) });

  const answer = await app.send('POST', '/api/memories', { content: 'x'.repeat(10_000) });
  const stored = await app.send('GET', '/api/memories/recent');

  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(stored.body.results).toEqual([]);
  expect(app.logged[0]).toMatchObject({ level: 'warn', status: 503, err: { name: 'LostWorkError' } });
});

describe('the request log', () => {
  test('has one line for each request, with words, ids and numbers only', async () => {
    const app = await testApp();

    await app.send('POST', '/api/memories', { content: 'secret words' }, { 'x-request-id': 'id-1' });
    await app.send('GET', '/api/memories/recent?limit=0&filter[kind]=secret', undefined, { 'x-request-id': 'id-2' });
    await app.send('GET', '/api/memories/secret', undefined, { authorization: undefined, 'x-request-id': 'id-3' });
    await app.send('GET', '/secret', undefined, { 'x-request-id': 'id-4' });

    await vi.waitFor(() => expect(app.logged).toHaveLength(4), PATIENT);
    const known = { level: 'info', durationMs: expect.any(Number) };
    const caller = { organizationId: app.organizationId, credentialId: expect.any(String) };
    expect(app.logged).toEqual([
      { ...known, ...caller, method: 'POST', operationId: 'ingestMemory', status: 201, requestId: 'id-1' },
      {
        ...known,
        ...caller,
        method: 'GET',
        operationId: 'listRecentMemories',
        status: 422,
        requestId: 'id-2',
        code: 'validation_failed',
      },
      { ...known, method: 'GET', operationId: 'getMemory', status: 401, requestId: 'id-3', code: 'unauthenticated' },
      { ...known, method: 'GET', status: 404, requestId: 'id-4' },
    ]);
    expect(JSON.stringify(app.logged)).not.toMatch(/secret|msk_/);
  });

  test('has the cause of a 503', async () => {
    const embedder = new LetterEmbedder();
    const app = await testApp({ embedder });
    embedder.down = true;

    await app.send('POST', '/api/memories', { content: 'a' });

    await vi.waitFor(() => expect(app.logged).toHaveLength(1), PATIENT);
    expect(app.logged).toMatchObject([{ level: 'warn', status: 503, err: { name: 'EmbeddingUnavailableError' } }]);
  });
});

describe('a caller that disconnects', () => {
  test('in the middle of its body causes no failure of the service', async () => {
    const app = await testApp();
    const socket = connect(app.port, '127.0.0.1');

    socket.write(head(app, 'content-length: 1000'));
    socket.write('{"content":');
    await vi.waitFor(() => expect(app.rateLimiter.consumed).toHaveLength(1), PATIENT);
    socket.destroy();

    await vi.waitFor(() => expect(app.logged).not.toHaveLength(0), PATIENT);
    expect(app.logged).toMatchObject([{ level: 'info', status: 499, operationId: 'ingestMemory' }]);
    expect(app.logged[0]).not.toHaveProperty('err');
  });

  test('in the middle of its answer causes no failure of the service', async () => {
    const app = await testApp({ embedder: new LetterEmbedder() });
    // Each character becomes six in JSON, so no buffer on the way can hold the whole answer.
    const items = Array.from({ length: 20 }, (_, index) => ({ content: `${index} ${'\u0001'.repeat(90_000)}` }));
    await app.send('POST', '/api/memories/batch', { items });
    const socket = connect(app.port, '127.0.0.1');

    socket.write(`GET /api/memories/export HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();

    await vi.waitFor(() => expect(app.logged).toHaveLength(2), PATIENT);
    expect(app.logged[1]).toMatchObject({ level: 'info', status: 499, operationId: 'exportMemories' });
  });
});

describe('a body that is too large', () => {
  test('is answered while the caller is still sending, who can then read the answer', async () => {
    const app = await testApp();

    const response = await fetch(`http://127.0.0.1:${app.port}/api/memories`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'x'.repeat(16 * 1024 * 1024) }),
    });

    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'payload_too_large', max: 2 * 1024 * 1024 });
  });

  test('is answered at once if its size is declared, and the connection is closed though the rest never comes', async () => {
    const app = await testApp();
    const socket = connect(app.port, '127.0.0.1');

    socket.write(head(app, 'content-length: 1000000000'));
    const answer = await text(socket);

    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('"code":"payload_too_large"');
  });
});

describe('an unusual request target', () => {
  test.each([
    ['http://elsewhere.test/health/live', 200],
    ['http://a:b/health/live', 200],
    ['http://[::1/health/live', 200],
    ['http://elsewhere.test', 404],
    ['ftp://[::1/health/live', 404],
    ['*', 404],
    ['/health/live?%zz&&=', 200],
    ['/health/live#part', 404],
    ['/\\\\', 404],
  ])('%s is answered with %i', async (target, status) => {
    const app = await testApp();
    const socket = connect(app.port, '127.0.0.1');

    socket.write(`${target === '*' ? 'OPTIONS' : 'GET'} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    const answer = await text(socket);

    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

function head(app: TestApp, ...headers: string[]): string {
  const lines = ['POST /api/memories HTTP/1.1', 'host: x', `authorization: Bearer ${app.token}`];
  return [...lines, 'content-type: application/json', ...headers, '', ''].join('\r\n');
}
