import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { testApp } from '../server/testing/app/test-app.js';
import { ToolClient } from '../server/testing/app/tool-client.js';
import { compileTools, listTools, readTools, toCatalog } from './tools/catalog.js';
import { listedArguments } from './tools/listed-arguments.js';

const NAMES = [
  'memory_context',
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

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
}

interface Contract {
  components: { schemas: Record<string, Schema> };
}

function readContract(): Contract {
  return parse(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8')) as Contract;
}

describe('the list of tools', () => {
  test('has the tools of the specification in the same order', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual(NAMES);
  });

  test('costs a model less than 2,200 tokens', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);

    const { tools } = await client.listTools();

    expect(JSON.stringify(tools).length / CHARS_PER_TOKEN).toBeLessThan(2_200);
  });

  test('has a title, an output schema, all hints and a description with "Use it" for every tool', async () => {
    const tools = listTools(toCatalog(readTools()));

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
    const tools = listTools(toCatalog(readTools()));
    const named = (hint: 'readOnlyHint' | 'destructiveHint') =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);

    expect(named('readOnlyHint')).toEqual([
      'memory_context',
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

  test('has only arguments of the contract, or of the tool alone, with a type that the contract accepts', () => {
    const catalog = toCatalog(compileTools({ ...readContract() }));
    const unknown = listTools(catalog).flatMap(({ name, inputSchema }) =>
      schemasOf(inputSchema)
        .filter(([argument, { type }]) => !typesOf(catalog.get(name)?.properties[argument]).includes(String(type)))
        .map(([argument]) => `${name} ${argument}`),
    );

    expect(unknown).toEqual([]);
  });

  test('has the modes and the filter keys of the contract', () => {
    const { SearchMode, Filter } = readContract().components.schemas;
    const { mode, filter } = listedArguments([]).memory_search;
    const [, keys = ''] = /^Exact matches of (.*?), e\.g\./.exec(filter?.description ?? '') ?? [];

    expect(mode?.enum).toEqual(SearchMode?.enum);
    expect(Object.keys(Filter?.properties ?? {})).toEqual(expect.arrayContaining(keys.split(/, | or /)));
  });

  test('accepts all arguments of the contract, also those that it does not list', () => {
    const contract = readContract();
    contract.components.schemas.SearchRequest!.properties!.colour = { type: 'string' };

    const tool = toCatalog(compileTools({ ...contract })).get('memory_search');

    expect(tool?.properties).toMatchObject({ colour: { type: 'string' }, exact: { type: 'boolean' } });
    expect(tool?.required).toEqual(['query']);
  });

  test('describes every argument that its name does not explain', () => {
    const silent = listTools(toCatalog(readTools())).flatMap(({ name, inputSchema }) =>
      schemasOf(inputSchema)
        .filter(([, { description }]) => description === undefined)
        .map(([argument]) => `${name} ${argument}`),
    );

    expect(new Set(silent.map((each) => each.split(' ')[1]))).toEqual(new Set(['includeDeleted']));
  });

  test('has no schema with a choice at its root, which some clients reject', async () => {
    const tools = listTools(toCatalog(readTools()));

    for (const { inputSchema, outputSchema } of tools) {
      expect(Object.keys(inputSchema)).not.toEqual(expect.arrayContaining(['anyOf']));
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
    }
  });
});

function schemasOf({ properties = {} }: { properties?: object | undefined }): [string, Schema][] {
  return Object.entries(properties) as [string, Schema][];
}

/** Returns the types that the contract accepts for an argument. */
function typesOf(argument: { type?: unknown } | undefined): string[] {
  return [argument?.type].flat().map(String);
}
