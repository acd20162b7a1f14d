import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { testApp } from '../server/testing/app/test-app.js';
import { ToolClient } from '../server/testing/app/tool-client.js';
import { compileTools, readTools, toCatalog } from './tools/catalog.js';

const NAMES = [
  'memory_ingest',
  'memory_upsert',
  'memory_ingest_batch',
  'memory_search',
  'memory_stats',
  'memory_changes',
  'memory_recent',
  'memory_get',
  'memory_update',
  'memory_delete',
  'memory_restore',
  'service_health',
];

/** Approximate number of characters of English or JSON per token. */
const CHARS_PER_TOKEN = 4;

describe('the list of tools', () => {
  test('has the tools of the specification in the same order', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual(NAMES);
  });

  test('costs a model less than 4,000 tokens', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);

    const { tools } = await client.listTools();

    expect(JSON.stringify(tools).length / CHARS_PER_TOKEN).toBeLessThan(4_000);
  });

  test('has a title, an output schema, all hints and a description with "Use it" for every tool', async () => {
    const tools = Array.from(toCatalog(readTools()).values(), ({ listed }) => listed);

    for (const { title, description, outputSchema, annotations } of tools) {
      expect(title).toMatch(/^[A-Z]/);
      expect(description).toMatch(/\bUse it\b/);
      expect(outputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) });
      expect(annotations).toEqual({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: false,
      });
    }
  });

  test('marks exactly the tools that only read, and those that replace or delete', async () => {
    const tools = Array.from(toCatalog(readTools()).values(), ({ listed }) => listed);
    const named = (hint: 'readOnlyHint' | 'destructiveHint') =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);

    expect(named('readOnlyHint')).toEqual([
      'memory_search',
      'memory_stats',
      'memory_changes',
      'memory_recent',
      'memory_get',
      'service_health',
    ]);
    expect(named('destructiveHint')).toEqual([
      'memory_upsert',
      'memory_ingest_batch',
      'memory_update',
      'memory_delete',
    ]);
  });

  test('has the arguments of the contract, and changes with it', async () => {
    const contract = parse(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8')) as {
      components: { schemas: { SearchRequest: { properties: Record<string, unknown> } } };
    };
    contract.components.schemas.SearchRequest.properties.limit = { type: 'integer', maximum: 7 };
    contract.components.schemas.SearchRequest.properties.colour = { type: 'string', description: 'A colour.' };

    const tool = toCatalog(compileTools(contract)).get('memory_search');

    expect(tool?.listed.inputSchema.properties).toMatchObject({
      limit: { type: 'integer', maximum: 7 },
      colour: { type: 'string', description: 'A colour.' },
      filter: { type: 'object', properties: { kind: { type: 'string' } } },
    });
    expect(tool?.listed.inputSchema.required).toEqual(['query']);
    for (const argument of ['explain', 'groupBy', 'diversity', 'minRelevance']) {
      expect(tool?.listed.inputSchema.properties).not.toHaveProperty(argument);
    }
  });

  test('has no schema with a choice at its root, which some clients reject', async () => {
    const tools = Array.from(toCatalog(readTools()).values(), ({ listed }) => listed);

    for (const { inputSchema, outputSchema } of tools) {
      expect(Object.keys(inputSchema)).not.toEqual(expect.arrayContaining(['anyOf']));
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
    }
  });
});
