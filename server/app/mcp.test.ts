import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../app.js';
import { HttpClient } from '../testing/http-client.js';
import { foundOrganization, member, type TestApp, testApp } from '../testing/test-app.js';
import { ToolClient } from '../testing/tool-client.js';

const ACCEPT = 'application/json, text/event-stream';
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Sends to /mcp by hand; the path is none of the document's, so no answer of it is held against that. */
async function post(
  app: Pick<TestApp, 'port' | 'token'>,
  body: unknown,
  headers: Record<string, string | undefined> = {},
) {
  const client = new HttpClient(app.port);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { authorization: `Bearer ${app.token}`, accept: ACCEPT, 'content-type': 'application/json', ...headers };
  const answer = await client.send('POST', '/mcp', text, all);
  client.close();
  return answer;
}

describe('the tool interface', () => {
  test('answers a message in one JSON object, with the envelope of every answer', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { 'x-request-id': 'my-own' });

    expect(answer).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
    expect(answer.headers).toMatchObject({ 'x-request-id': 'my-own', 'cache-control': 'no-store' });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  test('takes a notification without an answer', async () => {
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

  test('refuses a version of the protocol that it does not know', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { 'mcp-protocol-version': '1999-01-01' });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      error: { data: { supported: expect.arrayContaining(['2025-11-25']) } },
    });
  });

  test.each(['GET', 'DELETE', 'PUT'])('answers %s with 405, having no stream and no session', async (method) => {
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
  ])('tells a client that looks for OAuth at %s that there is none, in JSON', async (path) => {
    const app = await testApp();

    const answer = await app.send('GET', path);

    expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
    expect(answer.headers['content-type']).toBe('application/json');
  });
});

describe('who may use the tools', () => {
  test.each([
    ['no token', undefined],
    ['a malformed one', 'Bearer nonsense'],
    ['an unknown one', `Bearer msk_${'0'.repeat(38)}`],
    ['another scheme', 'Basic bWU6bWU='],
  ])('refuses %s with 401 and the scheme to use', async (_what, authorization) => {
    const app = await testApp();

    const answer = await post(app, PING, { authorization });

    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  test('the official client is told so when it connects', async () => {
    const app = await testApp();

    await expect(ToolClient.connect(app, { authorization: undefined })).rejects.toMatchObject({ status: 401 });
  });

  test.each(['https://evil.example', 'null', 'http://localhost:6274'])('refuses the web page of %s', async (origin) => {
    const app = await testApp();

    const answer = await post(app, PING, { origin });

    expect(answer).toMatchObject({ status: 403, body: { code: 'origin_forbidden' } });
  });

  test('refuses a page elsewhere that made its own name point at this machine', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { origin: 'http://rebound.example:8080', host: 'rebound.example:8080' });

    expect(answer.status).toBe(403);
  });

  test('lets in pages of the service itself on this machine, and those that the operator listed', async () => {
    const app = await testApp({}, { allowedOrigins: ['https://app.example.com'] });

    const own = await post(app, PING, { origin: `http://127.0.0.1:${app.port}` });
    const listed = await post(app, PING, { origin: 'https://app.example.com' });

    expect([own.status, listed.status]).toEqual([200, 200]);
  });

  test('acts with the token of each request: none gets the answer or the rights of another', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    await app.send('POST', '/api/memories', { content: 'Only of the first organization.' });

    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'memory_recent', arguments: {} } };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(index % 2 === 0 ? app : { ...app, token: other.token }, call)),
    );

    const found = answers.map(({ text }) => text.includes('Only of the first organization.'));
    expect(found).toEqual(answers.map((_, index) => index % 2 === 0));
  });
});

describe('what a tool does', () => {
  test('is what its operation does: counted, limited and audited under the caller, as come through the tools', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app, { 'user-agent': 'agent/1.0' });

    const { body } = await tools.call('memory_ingest', { content: 'Deploys run on Fridays.' });
    await tools.call('memory_search', { query: 'deploy' });
    await tools.call('memory_update', { id: body.id, metadata: { kind: 'rule' } });

    const { body: audit } = await app.send('GET', '/api/organization/audit-events');
    const { body: usage } = await app.send('GET', '/api/organization/usage');
    expect(audit.auditEvents).toMatchObject([
      { action: 'memory.update', memoryId: body.id, source: 'mcp', userAgent: 'agent/1.0', ip: '127.0.0.1' },
      { action: 'memory.ingest', memoryId: body.id, source: 'mcp', userAgent: 'agent/1.0', ip: '127.0.0.1' },
    ]);
    expect(usage).toMatchObject({ ingest: { used: 1 }, search: { used: 1 } });
    expect(app.rateLimiter.consumed.slice(0, 3).map(({ limitClass }) => limitClass)).toEqual([
      'ingest',
      'search',
      'admin',
    ]);
  });

  test('needs the abilities that its operation needs', async () => {
    const app = await testApp();
    const { headers } = await member(app, 'readonly', ['memory:search']);
    const tools = await ToolClient.connect(app, headers);

    const refused = await Promise.all([
      tools.call('memory_ingest', { content: 'a' }),
      tools.call('memory_upsert', { externalKey: 'k', content: 'a' }),
      tools.call('memory_ingest_batch', { items: [{ content: 'a' }] }),
      tools.call('memory_update', { id: app.deps.newId(), content: 'a' }),
      tools.call('memory_delete', { id: app.deps.newId() }),
    ]);
    const allowed = await Promise.all([tools.call('memory_recent'), tools.call('memory_search', { query: 'a' })]);

    expect(refused.map(({ isError, body }) => [isError, body.code])).toEqual(
      refused.map(() => [true, 'ability_denied']),
    );
    expect(allowed.map(({ isError }) => isError)).toEqual([false, false]);
  });

  test('is over when the token is revoked', async () => {
    const app = await testApp();
    const { headers, tokenId } = await member(app, 'member', ['*']);
    const tools = await ToolClient.connect(app, headers);
    await app.send('DELETE', `/api/organization/tokens/${tokenId}`);

    await expect(tools.call('memory_recent')).rejects.toMatchObject({ status: 401 });
  });

  test('is turned away with the rest when the service has more than it can do', async () => {
    const app = await testApp({ limits: { requestsInFlight: 0 } });

    const answer = await post(app, PING);

    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  });
});

describe('what a message may be', () => {
  test.each([
    ['no JSON', '{', 400, 'invalid_json'],
    ['nothing', '', 400, 'invalid_json'],
    ['a batch of messages', JSON.stringify([PING, PING]), 400, 'invalid_json'],
    ['a text', '"ping"', 400, 'invalid_json'],
    ['JSON without end', '['.repeat(100_000), 422, 'validation_failed'],
    ['an object of very many members', JSON.stringify({ ...PING, params: manyMembers() }), 400, 'invalid_json'],
    [
      'arguments of very many members',
      JSON.stringify({ ...PING, params: { arguments: manyMembers() } }),
      400,
      'invalid_json',
    ],
  ])('refuses %s', async (_what, body, status, code) => {
    const app = await testApp();

    const answer = await post(app, body);

    expect(answer).toMatchObject({ status, body: { code } });
  });

  test('refuses a body that is longer than a batch may be, before it is parsed', async () => {
    const app = await testApp({ limits: { batchBodyBytes: 1_000 } });

    const answer = await post(app, `{"jsonrpc":"2.0","pad":"${'x'.repeat(1_000)}"}`);

    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large', max: 1_000 } });
  });

  test('refuses a caller that takes no JSON, and takes one that does not say', async () => {
    const app = await testApp();

    const refused = await post(app, PING, { accept: 'text/html' });
    const silent = await post(app, PING, { accept: undefined });

    expect(refused).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
    expect(silent.status).toBe(200);
  });

  test('refuses what is not sent as JSON', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { 'content-type': 'text/plain' });

    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  test('answers a method that it does not know with an error of the protocol', async () => {
    const app = await testApp();

    const answer = await post(app, { jsonrpc: '2.0', id: 7, method: 'memories/erase' });

    expect(answer.body).toMatchObject({ id: 7, error: { code: -32_601 } });
  });
});

describe('without a credential, on the machine itself', () => {
  test('acts as the service, in the organization that the operator named', async () => {
    const app = await testApp();
    const local = await serveLocally(app, app.organizationId);
    const tools = await ToolClient.connect(local, { authorization: undefined });

    const answer = await tools.call('memory_ingest', { content: 'Deploys run on Fridays.' });

    expect(answer.body).toMatchObject({ outcome: 'created', scope: { organizationId: app.organizationId } });
    expect(await tools.read(`store://${app.organizationId}/memory/${answer.body.id}`)).toContain('Fridays');
  });

  test('gives out no other organization, by URI or by header', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const local = await serveLocally(app, app.organizationId);
    const tools = await ToolClient.connect(local, { authorization: undefined });
    const astray = await ToolClient.connect(local, {
      authorization: undefined,
      'x-organization-id': other.organizationId,
    });

    const foreign = await tools.refusal(`store://${other.organizationId}/stats`);
    const unknown = await tools.refusal(`store://${app.deps.newId()}/stats`);
    const named = await astray.call('memory_recent');

    expect(foreign).toMatchObject({ data: { code: 'organization_forbidden' } });
    expect(foreign).toEqual(unknown);
    expect(named).toMatchObject({ isError: true, body: { code: 'organization_forbidden' } });
  });

  test('an organization that does not exist opens nothing', async () => {
    const app = await testApp();
    const local = await serveLocally(app, app.deps.newId());
    const tools = await ToolClient.connect(local, { authorization: undefined });

    const answer = await tools.call('memory_recent');

    expect(answer).toMatchObject({ isError: true, body: { code: 'organization_forbidden' } });
  });

  test('holds for the tools alone, under a name of the machine, and for nobody behind a proxy', async () => {
    const app = await testApp();
    const local = await serveLocally(app, app.organizationId);
    const client = new HttpClient(local.port);

    const rest = await client.send('GET', '/api/memories/recent');
    const rebound = await post(local, PING, { authorization: undefined, host: 'rebound.example' });
    const proxied = await post(local, PING, { authorization: undefined, 'x-forwarded-for': '127.0.0.1' });
    const wrong = await post(local, PING, { authorization: 'Bearer nonsense' });
    client.close();

    expect([rest.status, rebound.status, proxied.status, wrong.status]).toEqual([401, 401, 401, 401]);
  });
});

/** The same store behind another server, which needs no credential for the tools of one organization. */
async function serveLocally(app: TestApp, localOrganizationId: string): Promise<Pick<TestApp, 'port' | 'token'>> {
  const local = await createApp(app.deps, { localOrganizationId, eventLoopDelayMs: () => 0 });
  const server = createServer(local.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, token: app.token };
}

function manyMembers(): Record<string, number> {
  return Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index]));
}
