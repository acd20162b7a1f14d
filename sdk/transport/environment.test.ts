import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemoryClient } from '../client.js';
import type { MemoryClientOptions } from '../options.js';

const SAVED = { baseUrl: 'http://127.0.0.1:4000', organizationId: 'org-saved', token: 'msk_saved' };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** Writes this file of credentials to the data folder of the client. */
async function savedCredentials(text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-sdk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'credentials.json'), text);
  vi.stubEnv('SERVICE_DATA_DIR', folder);
  for (const name of ['MEMORY_BASE_URL', 'MEMORY_TOKEN', 'MEMORY_ORGANIZATION_ID']) vi.stubEnv(name, '');
}

/** Returns the URL and credentials that a client with these options uses. */
async function connection(options: MemoryClientOptions = {}) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(new Request(input, init));
    return Response.json({ status: 'ok' });
  };
  await new MemoryClient({ ...options, fetch }).stats();
  const { url, headers } = requests[0]!;
  return [new URL(url).origin, headers.get('Authorization'), headers.get('X-Organization-Id')];
}

test('a client in development needs only the credentials of the first start', async () => {
  await savedCredentials(JSON.stringify(SAVED));

  expect(await connection()).toEqual(['http://127.0.0.1:4000', 'Bearer msk_saved', 'org-saved']);
});

test('a given token is sent to the server of the saved credentials, without their organization', async () => {
  await savedCredentials(JSON.stringify(SAVED));

  expect(await connection({ token: 'msk_mine' })).toEqual(['http://127.0.0.1:4000', 'Bearer msk_mine', null]);
});

test('the saved token is sent only to its own server', async () => {
  await savedCredentials(JSON.stringify(SAVED));

  expect(await connection({ baseUrl: 'https://elsewhere.test' })).toEqual(['https://elsewhere.test', null, null]);
  expect(await connection({ baseUrl: `${SAVED.baseUrl}/` })).toEqual([SAVED.baseUrl, 'Bearer msk_saved', 'org-saved']);
});

test.each([
  ['NODE_ENV', 'production'],
  ['APP_ENV', 'production'],
])('with %s=%s saved credentials are not read', async (name, value) => {
  await savedCredentials(JSON.stringify(SAVED));
  vi.stubEnv(name, value);

  expect(() => new MemoryClient()).toThrow('MEMORY_BASE_URL');
});

test.each(['{', '{}', '[]', 'null', '{"baseUrl":1,"token":"a"}'])(
  'a credentials file that contains %s is rejected by name',
  async (text) => {
    await savedCredentials(text);

    expect(() => new MemoryClient()).toThrow('credentials.json does not contain baseUrl and token');
  },
);

describe('without permissions', () => {
  test('variables that may not be read count as not set', () => {
    const env = { value: new Proxy({}, { get: deny }) };
    vi.stubGlobal(
      'process',
      Object.create(process, { env, getBuiltinModule: { value: () => ({ readFileSync: deny }) } }),
    );

    expect(() => new MemoryClient()).toThrow('baseUrl is required');
    expect(() => new MemoryClient({ baseUrl: 'http://memory.test', token: 'msk_test' })).not.toThrow();
  });

  test('credentials that may not be read count as missing', async () => {
    await savedCredentials(JSON.stringify(SAVED));
    vi.stubGlobal('process', Object.create(process, { getBuiltinModule: { value: () => ({ readFileSync: deny }) } }));

    expect(() => new MemoryClient()).toThrow('baseUrl is required');
  });
});

/** Fails as Deno does without permission. */
function deny(): never {
  const error = new Error('Requires access, run again with the --allow-env flag');
  error.name = 'NotCapable';
  throw error;
}

test('a function can return a token for each request', async () => {
  const tokens = ['one', 'two'];
  const sent: (string | null)[] = [];
  const client = new MemoryClient({
    baseUrl: 'http://memory.test',
    token: async () => tokens.shift() ?? '',
    fetch: async (input) => {
      sent.push((input as Request).headers.get('Authorization'));
      return Response.json({});
    },
  });

  await client.stats();
  await client.stats();
  await client.stats();

  expect(sent).toEqual(['Bearer one', 'Bearer two', null]);
});

test('the client sends its name and version as User-Agent', async () => {
  let agent: string | null = null;
  const client = new MemoryClient({
    baseUrl: 'http://memory.test',
    fetch: async (input) => {
      agent = (input as Request).headers.get('User-Agent');
      return Response.json({});
    },
  });

  await client.stats();

  expect(agent).toMatch(/^memory-service-sdk\/\d/);
});

test('printing a client does not show its token', async () => {
  const { inspect } = await import('node:util');
  const client = new MemoryClient({ baseUrl: 'http://memory.test', token: 'msk_secret' });

  expect(inspect(client, { depth: 10, showHidden: true })).not.toContain('msk_secret');
});
