import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { foundOrganization, testApp } from '../server/testing/app/test-app.js';
import { builtPackage } from '../server/testing/processes/server-process.js';

const program = join(builtPackage('mcp'), 'stdio.js');

async function connect(env: Record<string, string>, mode: VersionNegotiationMode = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return client;
}

describe('the program for desktop clients', () => {
  test.each([
    ['2026-07-28', 'auto'],
    ['2025-11-25', 'legacy'],
  ] as const)('offers the tools and resources of the service in its environment, in %s', async (version, mode) => {
    const app = await testApp();
    const env = { MEMORY_BASE_URL: `http://127.0.0.1:${app.port}`, MEMORY_TOKEN: app.token };
    const client = await connect(env, mode);

    const { tools } = await client.listTools();
    await client.callTool({ name: 'memory_ingest', arguments: { content: 'Deploys run on Fridays.' } });
    const found = await client.callTool({ name: 'memory_search', arguments: { query: 'deploy' } });
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources.at(-1)?.uri ?? '' });

    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(tools).toHaveLength(12);
    expect(found.structuredContent).toMatchObject({
      results: [{ content: 'Deploys run on Fridays.' }],
      scope: { organizationId: app.organizationId },
    });
    expect(contents).toMatchObject([{ text: expect.stringContaining('Deploys run on Fridays.') }]);
  });

  test('acts in the organization of its environment, and reads no other', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const client = await connect({
      MEMORY_BASE_URL: `http://127.0.0.1:${app.port}`,
      MEMORY_TOKEN: app.token,
      MEMORY_ORGANIZATION_ID: app.organizationId,
    });

    const refused = client.readResource({ uri: `store://${other.organizationId}/stats` });

    await expect(refused).rejects.toMatchObject({ data: { code: 'organization_forbidden' } });
    await expect(client.readResource({ uri: `store://${app.organizationId}/stats` })).resolves.toBeDefined();
  });

  test('returns a tool error if the service does not respond, and keeps running', async () => {
    const client = await connect({ MEMORY_BASE_URL: 'http://127.0.0.1:9', MEMORY_TOKEN: 'msk_x' });

    const answer = await client.callTool({ name: 'service_health', arguments: {} });

    expect(answer).toMatchObject({ isError: true, structuredContent: { code: 'service_unavailable' } });
    await expect(client.listTools()).resolves.toBeDefined();
  });

  test('exits when its client closes the input', async () => {
    const env = { MEMORY_BASE_URL: 'http://127.0.0.1:9', MEMORY_TOKEN: 'msk_x' };
    const running = promisify(execFile)(process.execPath, [program], { env });

    running.child.stdin?.end();

    await expect(running).resolves.toMatchObject({ stdout: '', stderr: '' });
  });

  test('names the missing variable if it has no URL of the service', async () => {
    const started = promisify(execFile)(process.execPath, [program], { env: { NODE_ENV: 'production' } });

    await expect(started).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('MEMORY_BASE_URL'),
    });
  });
});
