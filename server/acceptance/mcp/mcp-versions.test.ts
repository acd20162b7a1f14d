import { describe, expect, test } from 'vitest';
import { HttpClient } from '../../testing/app/http-client.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { ToolClient } from '../../testing/app/tool-client.js';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const SEARCH = { name: 'memory_search', arguments: { query: 'ferry' } };

/** Sends a raw message with the headers of the version and `headers`. Leaves out headers that are undefined. */
async function post(
  { port, token }: TestApp,
  { method, params = {}, id = 1 }: { method: string; params?: object; id?: number | undefined },
  headers: Record<string, string | undefined> = {},
) {
  const client = new HttpClient(port);
  const message = { jsonrpc: '2.0', ...(id > 0 && { id }), method, params: { _meta: META, ...params } };
  const all = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const answer = await client.send('POST', '/mcp', JSON.stringify(message), sent);
  client.close();
  return answer;
}

describe('the protocol versions', () => {
  test('get the same answers to everything that a client requests', async () => {
    const app = await testApp();
    const stored = await app.send('POST', '/api/memories', { content: 'The ferry to Texel leaves every hour.' });
    const uri = `store://${app.organizationId}/memory/${String(stored.body.id)}`;
    const ask = async (version: '2026-07-28' | 'handshake') => {
      const tools = await ToolClient.connect(app, {}, version);
      const { client } = tools;
      const ref = { type: 'ref/resource' as const, uri: 'store://{organizationId}/memory/{id}' };
      return {
        tools: (await client.listTools()).tools,
        found: (await tools.call('memory_search', { query: 'ferry' })).body,
        refused: await tools.call('memory_search', { query: '' }),
        unknown: await client.callTool({ name: 'memory_forget' }).catch(({ code, message }) => ({ code, message })),
        resources: (await client.listResources()).resources,
        templates: (await client.listResourceTemplates()).resourceTemplates,
        text: await tools.read(uri),
        missing: await tools.refusal(`${uri}/more`),
        completed: (await client.complete({ ref, argument: { name: 'id', value: '0' } })).completion,
        prompt: (await client.getPrompt({ name: 'recall', arguments: { topic: 'ferries' } })).messages,
        instructions: client.getInstructions(),
      };
    };

    const [now, before] = [await ask(VERSION), await ask('handshake')];

    expect(now).toEqual(before);
    expect(now.tools).toHaveLength(13);
    expect(now.found.results).toHaveLength(1);
    expect(now.refused).toMatchObject({ isError: true, body: { code: 'validation_failed' } });
    expect(now.unknown.code).toBe(-32_602);
    expect(now.missing).toEqual({ code: -32_602, message: 'Not found', data: { uri: `${uri}/more` } });
    expect(now.text).toContain('ferry');
  });

  test('get the same error, of the server and not of the request, if a resource is rejected for now', async () => {
    const app = await testApp();
    const clients = [await ToolClient.connect(app), await ToolClient.connect(app, {}, 'handshake')];
    app.rateLimiter.state = { allowed: false, limit: 60, remaining: 0, resetMs: 11_500 };

    for (const tools of clients) {
      const refusal = await tools.refusal(`store://${app.organizationId}/stats`);
      expect(refusal).toMatchObject({ code: -32_603, data: { code: 'rate_limited', retryAfter: 12 } });
    }
  });

  test('are negotiated as a client of each kind asks', async () => {
    const app = await testApp();

    const now = await ToolClient.connect(app);
    const before = await ToolClient.connect(app, {}, 'handshake');

    expect(now.client.getNegotiatedProtocolVersion()).toBe(VERSION);
    expect(before.client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
  });
});

describe('a message without a handshake', () => {
  test('is accepted and begins no session', async () => {
    const app = await testApp();

    const answer = await post(app, { method: 'tools/call', params: SEARCH }, { 'mcp-name': SEARCH.name });

    expect(answer).toMatchObject({ status: 200, body: { id: 1, result: { structuredContent: { results: [] } } } });
    expect(answer.headers['mcp-session-id']).toBeUndefined();
    expect(answer.headers['content-type']).toBe('application/json');
  });

  test('may ask what the server can do', async () => {
    const app = await testApp();

    const answer = await post(app, { method: 'server/discover' });

    expect(answer).toMatchObject({
      status: 200,
      body: { result: { supportedVersions: [VERSION], capabilities: { tools: {}, resources: {}, prompts: {} } } },
    });
  });

  test.each([
    ['tools/list', 'public', 300_000],
    ['prompts/list', 'public', 300_000],
    ['resources/templates/list', 'public', 300_000],
    ['resources/list', 'private', 0],
  ])('gets the lifetime and audience of the answer to %s', async (method, cacheScope, ttlMs) => {
    const app = await testApp();

    const answer = await post(app, { method });

    expect(answer.body.result).toMatchObject({ cacheScope, ttlMs });
  });

  test.each([
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['no method', { 'mcp-method': undefined }],
    ['another tool', { 'mcp-name': 'memory_delete' }],
    ['no tool', { 'mcp-name': undefined }],
  ])('is rejected if the headers name %s', async (_, headers) => {
    const app = await testApp();

    const answer = await post(app, { method: 'tools/call', params: SEARCH }, { 'mcp-name': SEARCH.name, ...headers });

    expect(answer).toMatchObject({ status: 400, body: { id: 1, error: { code: -32_020 } } });
  });

  test('is rejected in an unknown version, with the list of known ones', async () => {
    const app = await testApp();
    const version = '2031-01-01';
    const params = { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': version } };

    const answer = await post(app, { method: 'tools/list', params }, { 'mcp-protocol-version': version });

    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32_022, data: { supported: [VERSION] } } } });
  });

  test('is rejected without the information about its sender', async () => {
    const app = await testApp();

    const answer = await post(app, { method: 'tools/list', params: { _meta: undefined } });

    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32_602 } } });
  });

  test.each(['memories/forget', 'subscriptions/listen', 'initialize'])('gets 404 for the method %s', async (method) => {
    const app = await testApp();

    const answer = await post(app, { method });

    expect(answer).toMatchObject({ status: 404, body: { id: 1, error: { code: -32_601 } } });
  });

  test('gets no answer if it is a notification', async () => {
    const app = await testApp();

    const answer = await post(app, { method: 'notifications/cancelled', params: { requestId: 7 }, id: 0 });

    expect(answer).toMatchObject({ status: 202, text: '' });
  });

  test('requires a token', async () => {
    const app = await testApp();

    const answer = await post(app, { method: 'tools/list' }, { authorization: undefined });

    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });
});
