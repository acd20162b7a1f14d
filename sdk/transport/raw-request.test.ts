import { describe, expect, test } from 'vitest';
import { MemoryClient } from '../client.js';
import { ConflictError, RateLimitedError, UnavailableError, UnreadableAnswerError } from '../errors.js';
import type { MemoryClientOptions } from '../options.js';

/** Creates a client that records its requests and returns these responses in turn, the last one repeatedly. */
function clientAnswering(answers: (() => Response)[], options: MemoryClientOptions = {}) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(new Request(input, init));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer?.() ?? Response.error();
  };
  const base = { baseUrl: 'http://memory.test', token: 'msk_one', maxRetryDelayMs: 1, fetch };
  return { requests, client: new MemoryClient({ ...base, ...options }) };
}

const json = (body: unknown, init?: ResponseInit) => () => Response.json(body, init);
const headersOf = (requests: Request[], name: string) => requests.map(({ headers }) => headers.get(name));

describe('a raw request', () => {
  test('is sent with the credential, and its JSON is parsed', async () => {
    const { client, requests } = clientAnswering([json({ a: 1 }, { headers: { 'X-Request-Id': 'req-1' } })]);

    const call = client.request<{ a: number }>('POST', '/api/new', {
      query: { filter: { kind: 'note' }, limit: 3, cursor: undefined },
      body: { content: 'a' },
      headers: { 'X-Option': 'given' },
    });
    const { data, requestId } = await call.withResponse();

    const [request] = requests;
    expect([data, requestId]).toEqual([{ a: 1 }, 'req-1']);
    expect(request?.url).toBe(`http://memory.test/api/new?filter=${encodeURIComponent('{"kind":"note"}')}&limit=3`);
    expect(request?.headers.get('Authorization')).toBe('Bearer msk_one');
    expect(request?.headers.get('X-Option')).toBe('given');
    expect(await request?.json()).toEqual({ content: 'a' });
  });

  test.each([
    ['a text', () => new Response('one\ntwo\n', { headers: { 'Content-Type': 'application/x-ndjson' } }), 'one\ntwo\n'],
    ['no body', () => new Response(null, { status: 204 }), undefined],
  ])('returns %s as it is', async (_, answer, data) => {
    const { client, requests } = clientAnswering([answer]);

    expect(await client.request('GET', '/api/new')).toBe(data);
    expect(requests[0]?.headers.has('Content-Type')).toBe(false);
  });

  test('throws the errors of the client', async () => {
    const conflict = json({ error: 'no', code: 'content_conflict' }, { status: 409 });
    const page = () => new Response('<html>', { headers: { 'Content-Type': 'application/json' } });

    await expect(clientAnswering([conflict]).client.request('PUT', '/api/new')).rejects.toThrow(ConflictError);
    await expect(clientAnswering([page]).client.request('GET', '/api/new')).rejects.toThrow(UnreadableAnswerError);
  });

  test('is repeated after a lost response only if it is a GET', async () => {
    const lost = () => new Response('', { status: 502 });
    const limited = json({ error: 'no', code: 'rate_limited' }, { status: 429 });
    const read = clientAnswering([lost, json({})]);
    const write = clientAnswering([lost, json({})]);
    const refused = clientAnswering([limited, json({})]);

    await read.client.request('GET', '/api/new');
    await expect(write.client.request('DELETE', '/api/new')).rejects.toMatchObject({ status: 502 });
    await refused.client.request('DELETE', '/api/new');

    expect([read, write, refused].map(({ requests }) => requests.length)).toEqual([2, 1, 2]);
  });

  test.each(['api/new', '@other.test/api', '.other.test/'])('to %s is rejected and not sent', async (path) => {
    const { client, requests } = clientAnswering([json({})]);

    await expect(client.request('GET', path)).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });
});

test('fetchOptions are the second argument of every fetch', async () => {
  const given: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    given.push(init);
    return Response.json({});
  };
  const client = new MemoryClient({ baseUrl: 'http://memory.test', token: 'msk_one', fetch });
  const fetchOptions = { cache: 'no-store', proxy: 'http://proxy.test' } as const;

  await client.recent();
  await client.withOptions({ fetchOptions }).recent();

  expect(given).toEqual([undefined, fetchOptions]);
});

describe('withOptions', () => {
  test('changes only the given options, and leaves the client as it is', async () => {
    const limited = json({ error: 'no', code: 'rate_limited' }, { status: 429 });
    const { client, requests } = clientAnswering([limited], { headers: { 'X-App': 'a' }, organizationId: 'org-1' });
    const hasty = client.withOptions({ maxRetries: 0, timeoutMs: undefined, headers: { 'X-Job': 'b' } });

    await expect(hasty.recent()).rejects.toThrow(RateLimitedError);
    await expect(client.recent()).rejects.toThrow(RateLimitedError);

    expect(headersOf(requests, 'Authorization')).toEqual(Array(4).fill('Bearer msk_one'));
    expect(headersOf(requests, 'X-Organization-Id')).toEqual(Array(4).fill('org-1'));
    expect(headersOf(requests, 'X-App')).toEqual(Array(4).fill('a'));
    expect(headersOf(requests, 'X-Job')).toEqual(['b', null, null, null]);
  });

  test('keeps the session, unless there is another token', async () => {
    const session = json({ csrfToken: 'csrf-1' }, { headers: { 'Set-Cookie': 'memory_session=s1' } });
    const { client, requests } = clientAnswering([session, json({})]);
    await client.session.signIn({ email: 'ana@example.test', password: 'secret' });

    await client.withOptions({ maxRetries: 0 }).recent();
    await client.withOptions({ token: 'msk_two' }).recent();

    expect(headersOf(requests.slice(1), 'Cookie')).toEqual(['memory_session=s1', null]);
    expect(headersOf(requests.slice(1), 'Authorization')).toEqual([null, 'Bearer msk_two']);
  });

  test('does not send the credential to another service', async () => {
    const { client, requests } = clientAnswering([json({})], { organizationId: 'org-1' });

    await client.withOptions({ baseUrl: 'http://other.test' }).recent();
    await client.withOptions({ baseUrl: 'http://memory.test/' }).recent();

    expect(headersOf(requests, 'Authorization')).toEqual([null, 'Bearer msk_one']);
    expect(headersOf(requests, 'X-Organization-Id')).toEqual([null, 'org-1']);
  });

  test('calls the onRetry of the new client', async () => {
    const overloaded = json({ error: 'no', code: 'service_unavailable' }, { status: 503 });
    const { client } = clientAnswering([overloaded]);
    const operations: string[] = [];

    const told = client.withOptions({ onRetry: ({ operation }) => operations.push(operation) });
    await expect(told.request('GET', '/api/new?query=a', { maxRetries: 1 })).rejects.toThrow(UnavailableError);

    expect(operations).toEqual(['GET /api/new']);
  });
});
