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
    expect(tools).toHaveLength(13);
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

  test.each([
    [{ MEMORY_TOKEN: '' }, 'MEMORY_TOKEN'],
    [{ MEMORY_SUBJECT_KEY: '' }, 'MEMORY_SUBJECT_KEY'],
    [{ MEMORY_PROJECT: ' ' }, 'MEMORY_PROJECT'],
    [{ MEMORY_TOOLS: 'few' }, 'MEMORY_TOOLS'],
  ])('names the variable that is missing or not valid: %j', async (variables, name) => {
    const env = { MEMORY_BASE_URL: 'http://127.0.0.1:9', MEMORY_TOKEN: 'msk_x', ...variables };
    const started = promisify(execFile)(process.execPath, [program], { env });

    await expect(started).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(name) });
  });

  test.each(['--help', '-h'])('prints its variables with %s, without a token', async (option) => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, option], { env: {} });

    for (const name of ['MEMORY_BASE_URL', 'MEMORY_TOKEN', 'MEMORY_SUBJECT_KEY', 'MEMORY_PROJECT', 'MEMORY_TOOLS']) {
      expect(stdout).toContain(name);
    }
    expect(stderr).toBe('');
  });

  test('prints its version, and rejects options that it does not have', async () => {
    const version = await promisify(execFile)(process.execPath, [program, '--version'], { env: {} });
    const unknown = promisify(execFile)(process.execPath, [program, '--port'], { env: {} });

    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    await expect(unknown).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--port') });
  });

  test('offers six tools with MEMORY_TOOLS=core', async () => {
    const app = await testApp();
    const env = { MEMORY_BASE_URL: `http://127.0.0.1:${app.port}`, MEMORY_TOKEN: app.token, MEMORY_TOOLS: 'core' };
    const client = await connect(env);

    expect((await client.listTools()).tools).toHaveLength(6);
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
