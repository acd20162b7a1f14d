import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { testApp } from '../../testing/app/test-app.js';
import { ToolClient } from '../../testing/app/tool-client.js';
import { PING, post } from '../../testing/app/tool-message.js';

const SUBJECT = 'X-Memory-Subject-Key';
const PROJECT = 'X-Memory-Project';
const TOOLS = 'X-Memory-Tools';

describe('the headers of a connection', () => {
  test.each([
    [SUBJECT, ''],
    [SUBJECT, '%20'],
    [SUBJECT, '100%'],
    [SUBJECT, 'Am\u00e9lie'],
    [SUBJECT, 'x'.repeat(513)],
    [PROJECT, ''],
    [PROJECT, 'x'.repeat(257)],
    [TOOLS, 'few'],
  ])('%s are rejected with the value %j, so that a mistake does not open all memories', async (header, value) => {
    const app = await testApp();

    const answer = await post(app, PING, { [header.toLowerCase()]: value });

    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', details: [{ path: header }] } });
  });

  test.each([SUBJECT, PROJECT, TOOLS])('%s is rejected if it is sent twice', async (header) => {
    const app = await testApp();
    const headers = new Headers({
      host: `127.0.0.1:${app.port}`,
      authorization: `Bearer ${app.token}`,
      'content-type': 'application/json',
    });

    const answer = await postTwice(app.port, headers, header);

    expect(answer).toMatchObject({
      code: 'validation_failed',
      details: [{ path: header, message: 'must be sent once' }],
    });
  });

  test('need a token like others', async () => {
    const app = await testApp();

    const answer = await post(app, PING, { authorization: undefined, [SUBJECT.toLowerCase()]: '' });

    expect(answer.status).toBe(401);
  });

  test('may contain any subject, percent-encoded', async () => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    const subjectKey = 'Am\u00e9lie, 100 % \u{1f600}/x';
    await app.send('POST', '/api/memories', { content: 'Hers.', subjectKey });
    await app.send('POST', '/api/memories', { content: 'Of somebody else.', subjectKey: 'ben' });
    const tools = await ToolClient.connect(app, { [SUBJECT.toLowerCase()]: encodeURIComponent(subjectKey) });

    const { body } = await tools.call('memory_recent');

    expect(body.results).toMatchObject([{ content: 'Hers.', subjectKey }]);
  });

  test('choose the six tools that most agents need, in less than 1,200 tokens', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app, { [TOOLS.toLowerCase()]: 'core' });

    const { tools: listed } = await tools.client.listTools();
    const other = tools.client.callTool({ name: 'memory_stats', arguments: {} });

    expect(listed.map(({ name }) => name)).toEqual([
      'memory_context',
      'memory_ingest',
      'memory_search',
      'memory_get',
      'memory_update',
      'memory_delete',
    ]);
    expect(JSON.stringify(listed).length / 4).toBeLessThan(1_200);
    await expect(other).rejects.toMatchObject({ code: -32_602 });
  });

  test('make the list of tools private to the caller', async () => {
    const app = await testApp();
    const list = async (headers: Record<string, string>) => {
      const { client } = await ToolClient.connect(app, headers);
      return client.listTools();
    };

    expect(await list({})).toMatchObject({ cacheScope: 'public' });
    expect(await list({ [PROJECT.toLowerCase()]: 'atlas' })).toMatchObject({ cacheScope: 'private' });
    expect(await list({ [TOOLS.toLowerCase()]: 'core' })).toMatchObject({ cacheScope: 'private' });
  });

  test('bind an organization whose subject keys have no type yet to its project', async () => {
    const app = await testApp();
    const headers = { [PROJECT.toLowerCase()]: 'atlas' };
    const tools = await ToolClient.connect(app, headers);
    await app.send('POST', '/api/memories', { content: 'Of another project.', metadata: { project: 'other' } });

    expect((await tools.call('memory_recent')).body).toMatchObject({
      results: [],
      scope: { filter: { project: 'atlas' } },
    });
  });
});

/** Sends a header twice, which the other clients of the tests join. */
async function postTwice(port: number, headers: Headers, header: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      path: '/mcp',
      method: 'POST',
      headers: [...[...headers].flat(), header, 'core', header, 'core'],
    });
    sent.on('response', (response) => resolve(json(response)));
    sent.on('error', reject);
    sent.end(JSON.stringify(PING));
  });
}
