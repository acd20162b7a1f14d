import { join } from 'node:path';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttpTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdioTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type TestApp, testApp } from '../server/testing/app/test-app.js';
import { builtPackage } from '../server/testing/processes/server-process.js';
import { TOOL_NAMES } from './tools/listed-arguments.js';

const INFO = { name: 'test', version: '1.0.0' };

/** The parts of a client that both lines have. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Record<string, unknown>>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(request: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: unknown[] }>;
  close(): Promise<void>;
}

const httpOf = ({ port, token }: TestApp) => ({
  url: new URL(`http://127.0.0.1:${port}/mcp`),
  options: { requestInit: { headers: { authorization: `Bearer ${token}` } } },
});
const programOf = ({ port, token }: TestApp) => ({
  command: process.execPath,
  args: [join(builtPackage('mcp'), 'stdio.js')],
  env: { MEMORY_BASE_URL: `http://127.0.0.1:${port}`, MEMORY_TOKEN: token },
  stderr: 'ignore' as const,
});

/** Connects each of the official clients over each transport. */
const CONNECT: Readonly<Record<string, (app: TestApp) => Promise<AnyClient>>> = {
  'client 2.x over HTTP': async (app) => {
    const { url, options } = httpOf(app);
    const client = new NewClient(INFO);
    await client.connect(new NewHttpTransport(url, options));
    return client;
  },
  'client 2.x over standard input': async (app) => {
    const client = new NewClient(INFO);
    await client.connect(new NewStdioTransport(programOf(app)));
    return client;
  },
  'client 1.x over HTTP': async (app) => {
    const { url, options } = httpOf(app);
    const client = new OldClient(INFO);
    await client.connect(new OldHttpTransport(url, options));
    return client;
  },
  'client 1.x over standard input': async (app) => {
    const client = new OldClient(INFO);
    await client.connect(new OldStdioTransport(programOf(app)));
    return client;
  },
};

describe.each(Object.keys(CONNECT))('the official %s', (line) => {
  test('calls every tool, and reads the resources and prompts', async () => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    const client = (await CONNECT[line]?.(app)) as AnyClient;
    onTestFinished(() => client.close());
    const called: string[] = [];
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      called.push(name);
      const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args });
      expect({ name, isError }).toEqual({ name, isError: false });
      expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/./) }]);
      return structuredContent as Record<string, unknown>;
    };

    // After this both clients validate every result by the schema of its tool.
    const { tools } = await client.listTools();
    const { id } = await call('memory_ingest', { content: 'Ana likes tea.', subjectKey: 'ana' });
    await call('memory_upsert', { externalKey: 'ana/timezone', content: 'Ana lives in Berlin.', subjectKey: 'ana' });
    await call('memory_ingest_batch', { items: [{ content: 'Ben likes coffee.' }] });
    await call('memory_search', { query: 'tea' });
    await call('memory_context', { query: 'tea', subjectKey: 'ana' });
    await call('memory_recent');
    await call('memory_stats');
    await call('memory_changes', { since: '2020-01-01' });
    await call('memory_get', { id });
    await call('memory_update', { id, content: 'Ana likes green tea.' });
    await call('memory_delete', { id });
    await call('memory_restore', { id });
    await call('service_health');
    const { resources } = await client.listResources();
    const contents = await Promise.all(resources.map(({ uri }) => client.readResource({ uri })));
    const { prompts } = await client.listPrompts();

    expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
    expect(called.sort()).toEqual([...TOOL_NAMES].sort());
    expect(contents.length).toBeGreaterThan(3);
    expect(prompts).toHaveLength(2);
  });

  test('gets a rejected call as a tool error, and not as a fault of the protocol', async () => {
    const app = await testApp();
    const client = (await CONNECT[line]?.(app)) as AnyClient;
    onTestFinished(() => client.close());
    await client.listTools();

    const refused = await client.callTool({ name: 'memory_search', arguments: { q: 'tea' } });

    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('q is not an argument, query is') }],
    });
  });
});
