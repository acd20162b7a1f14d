// Uses the tool interface like an assistant: lists the tools, stores a fact and searches for it.
import assert from 'node:assert/strict';
// #region mcp-client
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const transport = new StreamableHTTPClientTransport(new URL('/mcp', process.env.MEMORY_BASE_URL), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.MEMORY_TOKEN}` } },
});
const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(transport);

const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name).join(' '));

await client.callTool({ name: 'memory_ingest', arguments: { content: 'The ferry to Texel leaves every hour.' } });
const found = await client.callTool({ name: 'memory_search', arguments: { query: 'ferry to Texel', limit: 1 } });
console.log(JSON.stringify(found.structuredContent));
// #endregion mcp-client

assert.equal(tools.length, 13);
assert.match(JSON.stringify(found.structuredContent), /leaves every hour/);

const refused = await client.callTool({ name: 'memory_ingest', arguments: { content: ' ' } });
assert.equal(refused.isError, true);
assert.match(JSON.stringify(refused.content), /validation_failed/);

await client.close();
