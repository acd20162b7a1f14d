import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { MemoryClient } from './client.js';
import { MemoryConnectionError, NotFoundError, UnavailableError } from './errors.js';

const BASE_URL = 'http://memory.test';
const ID = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';
const MEMORY = { id: ID, content: 'a', metadata: {}, createdAt: 'then', updatedAt: 'then' };

/** Words of paths in the contract, such as `stats`. */
const OPERATION_WORDS = wordsOf(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8'));

function wordsOf(contract: string): string[] {
  const paths = Object.keys((parse(contract) as { paths: object }).paths);
  return [...new Set(paths.flatMap((path) => path.split('/')))].filter((word) => word !== '' && !word.includes('{'));
}

/** Creates a client, records its requests and returns these responses in turn, the last one repeatedly. */
function clientAnswering(...answers: (() => Response)[]) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(new Request(input, init));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer?.() ?? Response.error();
  };
  return { client: new MemoryClient({ baseUrl: BASE_URL, token: 'msk_test', fetch }), requests };
}

const json = (body: unknown, init?: ResponseInit) => () => Response.json(body, init);
const ndjson = (memories: unknown[], headers: Record<string, string> = {}) => {
  const body = memories.map((memory) => `${JSON.stringify(memory)}\n`).join('');
  return () => new Response(body, { headers: { 'Content-Type': 'application/x-ndjson', ...headers } });
};

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('the connection of a client', () => {
  test('uses URL, token and organization of the environment', async () => {
    vi.stubEnv('MEMORY_BASE_URL', 'http://from.env/');
    vi.stubEnv('MEMORY_TOKEN', 'msk_env\n');
    vi.stubEnv('MEMORY_ORGANIZATION_ID', 'org-1');
    const requests: Request[] = [];
    const client = new MemoryClient({
      fetch: async (input, init) => {
        requests.push(new Request(input, init));
        return Response.json(MEMORY);
      },
    });

    await client.get(ID);

    expect(requests[0]?.url).toBe(`http://from.env/api/memories/${ID}`);
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer msk_env');
    expect(requests[0]?.headers.get('X-Organization-Id')).toBe('org-1');
  });

  test('prefers options to the environment, and sends no header without an organization', async () => {
    vi.stubEnv('MEMORY_TOKEN', 'msk_env');
    const { client, requests } = clientAnswering(json(MEMORY));

    await client.get(ID);

    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer msk_test');
    expect(requests[0]?.headers.has('X-Organization-Id')).toBe(false);
  });

  test('uses its own token when there are two clients in one process', async () => {
    const requests: Request[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      requests.push(new Request(input, init));
      return Response.json(MEMORY);
    };
    const one = new MemoryClient({ baseUrl: BASE_URL, token: 'one', fetch });
    const other = new MemoryClient({ baseUrl: BASE_URL, token: 'other', fetch });

    await Promise.all([one.get(ID), other.get(ID)]);

    expect(requests.map(({ headers }) => headers.get('Authorization'))).toEqual(['Bearer one', 'Bearer other']);
  });

  test('rejects a URL that is missing or not valid', () => {
    vi.stubEnv('MEMORY_BASE_URL', '');
    vi.stubEnv('SERVICE_DATA_DIR', '/no/folder');

    expect(() => new MemoryClient()).toThrow('MEMORY_BASE_URL');
    for (const baseUrl of ['ftp://memory.test', 'memory.test', 'localhost:8080', 'http://', '']) {
      expect(() => new MemoryClient({ baseUrl })).toThrow('baseUrl must be a URL that starts with http://');
    }
  });

  test('rejects a token that is not a valid header value, without repeating it', () => {
    const unsendable = () => new MemoryClient({ baseUrl: BASE_URL, token: 'msk_secret\u00e9' });

    expect(unsendable).toThrow(TypeError);
    expect(unsendable).toThrow('it contains white space or characters that are not ASCII');
    expect(unsendable).not.toThrow('secret');
  });
});

describe('a request', () => {
  test('has no `client` option, which Deno rejects', async () => {
    class DenoRequest extends Request {
      constructor(...[input, init]: ConstructorParameters<typeof Request>) {
        if (init && 'client' in init) throw new TypeError('`client` must be a Deno.HttpClient');
        super(input, init);
      }
    }
    vi.stubGlobal('Request', DenoRequest);
    const { client, requests } = clientAnswering(json(MEMORY));

    await client.get(ID);
    await client.ingest({ content: 'a' });
    await client.upsert({ externalKey: 'k', content: 'a' });
    await client.update(ID, { content: 'b' });
    await client.delete(ID);

    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
  });

  test('is passed to fetch without a receiver, which the fetch of a browser rejects', async () => {
    const receivers: unknown[] = [];
    async function fetch(this: unknown) {
      receivers.push(this);
      return Response.json(MEMORY);
    }

    await new MemoryClient({ baseUrl: BASE_URL, token: 'msk_test', fetch }).get(ID);

    expect(receivers).toEqual([undefined]);
  });

  test('sends its body as JSON', async () => {
    const { client, requests } = clientAnswering(json({ ...MEMORY, outcome: 'created' }, { status: 201 }));

    const written = await client.ingest({ content: 'a', metadata: { kind: 'note' } });

    expect(written.outcome).toBe('created');
    expect(requests[0]?.headers.get('Content-Type')).toBe('application/json');
    expect(await requests[0]?.json()).toEqual({ content: 'a', metadata: { kind: 'note' } });
  });

  test('sends a filter as JSON in one parameter, which keeps types', async () => {
    const { client, requests } = clientAnswering(json({ results: [], meta: { count: 0 } }));
    const filter = { subjectKey: 7, match: { 'a&b=c': true, none: null } };

    await client.recent({ limit: 3, filter, includeDeleted: false });

    const { searchParams } = new URL(requests[0]?.url ?? '');
    expect(JSON.parse(searchParams.get('filter') ?? '')).toEqual(filter);
    expect(Object.fromEntries(searchParams)).toMatchObject({ limit: '3', includeDeleted: 'false' });
  });

  test('omits parameters that are not given', async () => {
    const { client, requests } = clientAnswering(json({ results: [], meta: { count: 0 } }));

    await client.recent({ limit: undefined });

    expect(requests[0]?.url).toBe(`${BASE_URL}/api/memories/recent`);
  });

  test('sends dates as ISO 8601', async () => {
    const { client, requests } = clientAnswering(json({ changes: [], meta: { count: 0, hasMore: false } }));

    await client.changes({ since: new Date(0), cursor: 'a|b' });

    const { searchParams } = new URL(requests[0]?.url ?? '');
    expect(Object.fromEntries(searchParams)).toEqual({ since: '1970-01-01T00:00:00.000Z', cursor: 'a|b' });
  });

  test('encodes an id as one segment of the path', async () => {
    const { client, requests } = clientAnswering(() => new Response(null, { status: 204 }));

    await client.delete('../organization/settings?x#y');

    expect(requests[0]?.method).toBe('DELETE');
    expect(new URL(requests[0]?.url ?? '').pathname).toBe('/api/memories/..%2Forganization%2Fsettings%3Fx%23y');
  });

  test.each(['', '.', '..', ...OPERATION_WORDS])('is not sent for the id %j, which is not found', async (id) => {
    const { client, requests } = clientAnswering(json(MEMORY));

    await expect(client.get(id)).rejects.toThrow(NotFoundError);
    await expect(client.update(id, { content: 'b' })).rejects.toThrow(NotFoundError);
    await expect(client.delete(id)).rejects.toThrow(NotFoundError);

    expect(requests).toEqual([]);
  });
});

describe('export', () => {
  test('reads all pages by their cursors', async () => {
    const { client, requests } = clientAnswering(
      ndjson([{ id: '1' }, { id: '2' }], { 'X-Next-Cursor': 'after 2' }),
      ndjson([{ id: '3' }]),
    );

    const exported: string[] = [];
    for await (const { id } of client.export({ limit: 2, filter: { kind: 'note' } })) exported.push(id);

    expect(exported).toEqual(['1', '2', '3']);
    expect(requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams))).toEqual([
      { limit: '2', filter: '{"kind":"note"}' },
      { limit: '2', filter: '{"kind":"note"}', cursor: 'after 2' },
    ]);
  });

  test('requests no page that the caller does not read', async () => {
    const { client, requests } = clientAnswering(ndjson([{ id: '1' }, { id: '2' }], { 'X-Next-Cursor': 'more' }));

    for await (const { id } of client.export()) {
      if (id === '1') break;
    }

    expect(requests).toHaveLength(1);
  });

  test('returns an empty page without a cursor if there are no memories', async () => {
    const { client } = clientAnswering(ndjson([], { 'Content-Length': '0' }));

    expect(await client.export()).toEqual({ memories: [] });
  });

  test('does not split a memory whose content contains line separators', async () => {
    const content = 'one\ntwo\u2028three\r\nfour';
    const { client } = clientAnswering(ndjson([{ id: '1', content }]));

    const { memories } = await client.export();

    expect(memories).toEqual([{ id: '1', content }]);
  });
});

describe('failures', () => {
  test('throw the error class of the status', async () => {
    const { client } = clientAnswering(json({ error: 'Not found' }, { status: 404 }));

    await expect(client.get(ID)).rejects.toThrow(NotFoundError);
    await expect(client.delete(ID)).rejects.toThrow(NotFoundError);
    await expect(client.export()).rejects.toThrow('Not found');
  });

  test('throw a MemoryConnectionError with the host and without the token if no response arrives', async () => {
    const client = new MemoryClient({
      baseUrl: `http://127.0.0.1:${await closedPort()}`,
      token: 'msk_secret',
      maxRetries: 0,
    });

    const error = await client.stats().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(MemoryConnectionError);
    expect(error).toMatchObject({ message: expect.stringContaining('127.0.0.1'), cause: expect.any(Error) });
    expect(String(error)).not.toContain('msk_secret');
  });

  test.each([200, 500])('throw a MemoryConnectionError if a response of status %i is incomplete', async (status) => {
    await using server = await listen((_request, response) => {
      response.writeHead(status, { 'Content-Length': '100' });
      response.write('{"results":[', () => response.destroy());
    });
    const client = new MemoryClient({ baseUrl: server.url, maxRetries: 0 });

    await expect(client.recent()).rejects.toThrow(MemoryConnectionError);
  });

  test('throw an error for the page of a proxy', async () => {
    const { client } = clientAnswering(() => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }));

    await expect(client.get(ID)).rejects.toThrow(MemoryConnectionError);
  });

  test('throw an error for a redirect, which is not followed', async () => {
    const paths: (string | undefined)[] = [];
    await using server = await listen((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { Location: '/elsewhere' }).end();
    });
    const client = new MemoryClient({ baseUrl: server.url, token: 'msk_test' });

    await expect(client.ingest({ content: 'a' })).rejects.toThrow(MemoryConnectionError);

    expect(paths).toEqual(['/api/memories']);
  });

  test('throw the reason of the caller if the caller aborts', async () => {
    await using server = await listen(() => undefined);
    const client = new MemoryClient({ baseUrl: server.url });
    const controller = new AbortController();
    const reason = new Error('changed my mind');

    const call = client.search({ query: 'a' }, { signal: controller.signal });
    controller.abort(reason);

    await expect(call).rejects.toBe(reason);
  });

  test('throw the reason of the caller if the caller aborts while the response arrives', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{');
    });
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init);
      controller.abort(reason);
      return response;
    };
    const client = new MemoryClient({ baseUrl: server.url, fetch });

    await expect(client.recent({}, { signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('health', () => {
  const down = { status: 'down', checks: { store: { status: 'down' }, embedding: { status: 'ok' } } };

  test('returns a readiness of status down', async () => {
    const { client } = clientAnswering(json(down, { status: 503 }));

    expect(await client.health.ready()).toEqual(down);
  });

  test('throws a 503 that is not a readiness', async () => {
    const { client } = clientAnswering(json({ error: 'overloaded', code: 'service_unavailable' }, { status: 503 }));

    await expect(client.health.ready()).rejects.toThrow(UnavailableError);
  });

  test('sends no token', async () => {
    const { client, requests } = clientAnswering(json({ status: 'ok' }));

    await client.health.live();

    expect(requests[0]?.headers.has('Authorization')).toBe(false);
  });
});

async function listen(listener: Parameters<typeof createServer>[1]) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function closedPort(): Promise<number> {
  await using server = await listen(undefined);
  return server.port;
}
