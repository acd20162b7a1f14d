import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../app.js';
import { HttpClient } from '../../testing/app/http-client.js';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';
import { ToolClient } from '../../testing/app/tool-client.js';
import { PING, post } from '../../testing/app/tool-message.js';

describe('tools without a credential, on the same machine', () => {
  test('act as the service, in the organization that the operator named', async () => {
    const app = await testApp();
    const local = await serveLocally(app, app.organizationId);
    const tools = await ToolClient.connect(local, { authorization: undefined });

    const answer = await tools.call('memory_ingest', { content: 'Deploys run on Fridays.' });

    expect(answer.body).toMatchObject({ outcome: 'created', scope: { organizationId: app.organizationId } });
    expect(await tools.read(`store://${app.organizationId}/memory/${answer.body.id}`)).toContain('Fridays');
  });

  test('reach no other organization, by URI or by header', async () => {
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

  test('are bound by their headers like others', async () => {
    const app = await testApp();
    const local = await serveLocally(app, app.organizationId);
    const other = await app.send('POST', '/api/memories', { content: 'Elsewhere.', metadata: { project: 'other' } });
    const tools = await ToolClient.connect(local, { authorization: undefined, 'x-memory-project': 'atlas' });

    const written = await tools.call('memory_ingest', { content: 'Deploys run on Fridays.' });
    const equal = await tools.call('memory_ingest', { content: 'Elsewhere.' });
    const found = await tools.call('memory_get', { id: other.body.id });

    expect(written.body).toMatchObject({ outcome: 'created', metadata: { project: 'atlas' } });
    expect(equal.body).toMatchObject({ code: 'content_conflict' });
    expect(found).toMatchObject({ isError: true, body: { error: 'Not found' } });
  });

  test('are rejected for an organization that does not exist', async () => {
    const app = await testApp();
    const local = await serveLocally(app, app.deps.newId());
    const tools = await ToolClient.connect(local, { authorization: undefined });

    const answer = await tools.call('memory_recent');

    expect(answer).toMatchObject({ isError: true, body: { code: 'organization_forbidden' } });
  });

  test('are open under a name of the machine only, not through a proxy, and REST still needs a token', async () => {
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

/** Serves the same store through a second server, which needs no credential for the tools of one organization. */
async function serveLocally(app: TestApp, localOrganizationId: string): Promise<Pick<TestApp, 'port' | 'token'>> {
  const local = createApp(app.deps, { localOrganizationId, eventLoopDelayMs: () => 0 });
  const server = createServer(local.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, token: app.token };
}
