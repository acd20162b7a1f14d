import { describe, expect, test } from 'vitest';
import { foundOrganization, member, testApp } from '../../testing/app/test-app.js';
import { ToolClient } from '../../testing/app/tool-client.js';
import { PING, post } from '../../testing/app/tool-message.js';

describe('access to the tools', () => {
  test.each([
    ['no token', undefined],
    ['a malformed one', 'Bearer nonsense'],
    ['an unknown one', `Bearer msk_${'0'.repeat(38)}`],
    ['another scheme', 'Basic bWU6bWU='],
  ])('rejects %s with 401 and the scheme to use', async (_what, authorization) => {
    const app = await testApp();

    const answer = await post(app, PING, { authorization });

    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  test('reports the 401 to the official client when it connects', async () => {
    const app = await testApp();

    await expect(ToolClient.connect(app, { authorization: undefined })).rejects.toMatchObject({ status: 401 });
  });

  test.each(['https://evil.example', 'null', 'http://localhost:6274'])('rejects the web page of %s', async (origin) => {
    const app = await testApp();

    const answer = await post(app, PING, { origin });

    expect(answer).toMatchObject({ status: 403, body: { code: 'origin_forbidden' } });
  });

  test('rejects a page whose host name was pointed at this machine', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { origin: 'http://rebound.example:8080', host: 'rebound.example:8080' });

    expect(answer.status).toBe(403);
  });

  test('accepts pages of the service itself on this machine, and those that the operator listed', async () => {
    const app = await testApp({}, { allowedOrigins: ['https://app.example.com'] });

    const own = await post(app, PING, { origin: `http://127.0.0.1:${app.port}` });
    const listed = await post(app, PING, { origin: 'https://app.example.com' });

    expect([own.status, listed.status]).toEqual([200, 200]);
  });

  test('uses the token of each request: nobody gets the answer or the rights of another', async () => {
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

describe('a tool call', () => {
  test('is counted, limited and audited like its operation, under the caller, with the tools as source', async () => {
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
    const classes = app.rateLimiter.consumed.map(({ limitClass }) => limitClass);
    expect(classes.filter((limitClass) => limitClass !== 'tools').slice(0, 3)).toEqual(['ingest', 'search', 'admin']);
  });

  test('requires the abilities of its operation', async () => {
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

  test('is rejected once the token is revoked', async () => {
    const app = await testApp();
    const { headers, tokenId } = await member(app, 'member', ['*']);
    const tools = await ToolClient.connect(app, headers);
    await app.send('DELETE', `/api/organization/tokens/${tokenId}`);

    await expect(tools.call('memory_recent')).rejects.toMatchObject({ status: 401 });
  });

  test('is rejected like other requests when the service is overloaded', async () => {
    const app = await testApp({ limits: { requestsInFlight: 0 } });

    const answer = await post(app, PING);

    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  });

  test('counts against a limit of messages a minute before the message is read', async () => {
    const app = await testApp();
    app.rateLimiter.toolState = { allowed: false, limit: 600, remaining: 0, resetMs: 1_000 };

    const answer = await post(app, PING);

    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': '1' } });
    expect(app.rateLimiter.consumed).toMatchObject([{ limitClass: 'tools', organizationId: app.organizationId }]);
  });
});
