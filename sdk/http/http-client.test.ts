import { describe, expect, test } from 'vitest';
import { type ClientConfig, createHttpClient } from './http-client.js';

/** Creates a client that records its requests. */
function recordingClient(config: Partial<ClientConfig> = {}) {
  const requests: Request[] = [];
  const client = createHttpClient({
    baseUrl: 'http://memory.test/base',
    headers: {},
    signal: new AbortController().signal,
    authorize: async () => undefined,
    send: async (request) => {
      requests.push(request);
      return Response.json({ id: 'a' });
    },
    ...config,
  });
  return { client, requests };
}

describe('the URL', () => {
  test.each([
    ['a b', 'a%20b'],
    ['a/../b?c#d', 'a%2F..%2Fb%3Fc%23d'],
    ['50%', '50%25'],
    ['é😀', '%C3%A9%F0%9F%98%80'],
    ['$&$1', '%24%26%241'],
    ['a.b..c', 'a.b..c'],
    ['{other}', '%7Bother%7D'],
    [7, '7'],
  ])('has the parameter %j as the one segment %s', async (id, segment) => {
    const { client, requests } = recordingClient();

    await client.get({ url: '/things/{id}/parts/{other}', path: { id, other: 'x' } });

    expect(requests[0]!.url).toBe(`http://memory.test/base/things/${segment}/parts/x`);
  });

  test('fills in no braces of the base URL', async () => {
    const { client, requests } = recordingClient({ baseUrl: 'http://memory.test/{id}' });

    await client.get({ url: '/things/{id}', path: { id: 'a' } });

    expect(requests[0]!.url).toBe('http://memory.test/{id}/things/a'.replaceAll(/[{}]/g, encodeURIComponent));
  });

  test('has each parameter of the query that is not undefined, and objects as JSON', async () => {
    const { client, requests } = recordingClient();
    const query = { text: 'a&b=c d', none: undefined, count: 0, flag: false, empty: '', filter: { a: [1, 'x'] } };

    await client.get({ url: '/things', query });

    const { search, searchParams } = new URL(requests[0]!.url);
    expect(search).toContain('text=a%26b%3Dc%20d');
    expect([...searchParams]).toEqual([
      ['text', 'a&b=c d'],
      ['count', '0'],
      ['flag', 'false'],
      ['empty', ''],
      ['filter', '{"a":[1,"x"]}'],
    ]);
  });

  test.each([{}, { none: undefined }])('ends without a question mark if the query is %j', async (query) => {
    const { client, requests } = recordingClient();

    await client.get({ url: '/things', query });

    expect(requests[0]!.url).toBe('http://memory.test/base/things');
  });
});

describe('the request', () => {
  test.each(['get', 'post', 'put', 'patch', 'delete'] as const)(
    'of %s has its method and follows no redirect',
    async (method) => {
      const { client, requests } = recordingClient();

      await client[method]({ url: '/things' });

      expect(requests.map((request) => [request.method, request.redirect])).toEqual([[method.toUpperCase(), 'manual']]);
    },
  );

  test.each([[{ a: ['é', null] }], [[]], [0], [''], [false], [null]])('has the body %j as JSON', async (body) => {
    const { client, requests } = recordingClient();

    await client.post({ url: '/things', headers: { 'Content-Type': 'application/json' }, body });

    expect(requests[0]!.headers.get('Content-Type')).toBe('application/json');
    expect(await requests[0]!.json()).toEqual(body);
  });

  test('without a body has no content type, even if the client has one', async () => {
    const { client, requests } = recordingClient({ headers: { 'content-type': 'text/plain' } });

    await client.post({ url: '/things', headers: { 'Content-Type': 'application/json' }, body: undefined });

    expect(requests[0]!.headers.has('Content-Type')).toBe(false);
    expect(requests[0]!.body).toBeNull();
  });

  test('has the headers of the client and of the call, whose values win', async () => {
    const { client, requests } = recordingClient({ headers: { 'X-A': 'client', 'X-B': 'client', 'X-C': undefined } });

    await client.get({ url: '/things', headers: { 'x-b': 'call', 'X-D': '' } });

    expect([...requests[0]!.headers]).toEqual([
      ['x-a', 'client'],
      ['x-b', 'call'],
      ['x-d', ''],
    ]);
  });

  test('lacks a header that the call sets to null, and keeps one that it sets to undefined', async () => {
    const { client, requests } = recordingClient({ headers: { 'X-A': 'client', 'X-B': 'client' } });

    await client.get({ url: '/things', headers: { 'x-a': null, 'x-b': undefined } });

    expect([...requests[0]!.headers]).toEqual([['x-b', 'client']]);
  });

  test('has the credential for its method, which sees the other headers', async () => {
    const seen: [string, string | null][] = [];
    const { client, requests } = recordingClient({
      authorize: async (headers, method) => {
        seen.push([method, headers.get('X-A')]);
        headers.set('Authorization', 'Bearer a');
      },
    });

    await client.patch({ url: '/things', headers: { 'X-A': 'call' } });

    expect(seen).toEqual([['PATCH', 'call']]);
    expect(requests[0]!.headers.get('Authorization')).toBe('Bearer a');
  });

  test('is not sent without its credential', async () => {
    const { client, requests } = recordingClient({ authorize: () => Promise.reject(new TypeError('no token')) });

    await expect(client.get({ url: '/things' })).rejects.toThrow('no token');
    expect(requests).toEqual([]);
  });

  test('aborts with the signal of the client, for its reason', async () => {
    const controller = new AbortController();
    const { client, requests } = recordingClient({ signal: controller.signal });

    await client.get({ url: '/things' });
    controller.abort('enough');

    expect([requests[0]!.signal.aborted, requests[0]!.signal.reason]).toEqual([true, 'enough']);
  });
});

describe('the response', () => {
  test.each([200, 404, 500])('of status %d is returned unread, after one request', async (status) => {
    let sent = 0;
    const { client } = recordingClient({
      send: async () => {
        sent += 1;
        return Response.json({ id: 'a' }, { status });
      },
    });

    const response = await client.get<{ 200: { id: string } }, unknown, true>({ url: '/things' });

    expect([sent, response.status, response.bodyUsed]).toEqual([1, status, false]);
    expect((await response.json()).id).toBe('a');
  });

  test('that does not arrive is the error of the sender', async () => {
    const { client } = recordingClient({ send: () => Promise.reject(new TypeError('fetch failed')) });

    await expect(client.get({ url: '/things' })).rejects.toThrow('fetch failed');
  });
});
