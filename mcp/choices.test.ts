import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../server/testing/app/test-app.js';
import { ToolClient } from '../server/testing/app/tool-client.js';
import { listTools, readTools, toCatalog } from './tools/catalog.js';
import { TOOL_NAMES } from './tools/listed-arguments.js';

const docs = readFileSync(new URL('../docs/mcp-choices.md', import.meta.url), 'utf8');
const ROW = /^\| (?<said>[^|]+) \| `(?<tool>\w+)` \| `(?<args>\{.*\})` \| (?<result>[^|]+) \| "(?<words>.+)" \|$/gm;
const [, memoriesJson = ''] = /```json\n(.*?)```/s.exec(docs) ?? [];

interface Choice {
  said: string;
  tool: string;
  args: string;
  result: string;
  words: string;
}

const choices = Array.from(docs.matchAll(ROW), ({ groups }) => groups as unknown as Choice);
const memories = JSON.parse(memoriesJson) as Record<string, { content: string; metadata?: object }>;
const tools = new Map(listTools(toCatalog(readTools())).map((tool) => [tool.name, tool]));

type Ids = Readonly<Record<string, string>>;

/** The text of each kind of result. `$id` is replaced by the id that the kind names. */
const TEXTS: Readonly<Record<string, (named: string) => RegExp>> = {
  text: () => /^(?:Relevant|Newest) memories:\n- \d{4}-\d\d-\d\d /,
  lines: (id) => new RegExp(`^- \\[${id}\\] 20`, 'm'),
  nothing: () => /^No memory matches/,
  counts: () => /^\d+ memories/,
  memory: (id) => new RegExp(`^\\[${id}\\] `),
  stored: () => /^Stored: \[/,
  'stored already': () => /^Stored already: \[/,
  changed: () => /^Changed: \[/,
  batch: (count) => new RegExp(`^${count} stored, 0 failed\n- 0 \\[`),
  deleted: () => /^Deleted: \[/,
  restored: () => /^Restored: \[/,
  health: () => /^Status: ok/,
};

async function setUp(): Promise<{ app: TestApp; ids: Ids; client: ToolClient }> {
  const app = await testApp();
  await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
  const ids: Record<string, string> = {};
  for (const [name, memory] of Object.entries(memories)) {
    const content = name === 'handbook' ? 'The handbook. '.padEnd(30_000, 'word ') : memory.content;
    ids[name] = String((await app.send('POST', '/api/memories', { ...memory, content })).body.id);
  }
  await app.send('DELETE', `/api/memories/${ids.office}`);
  return { app, ids, client: await ToolClient.connect(app) };
}

function fill(text: string, ids: Ids): string {
  return text.replace(/\$(\w+)/g, (_, name: string) => ids[name] ?? `unknown ${name}`);
}

describe('docs/mcp-choices.md', () => {
  test('has forty sentences, and every tool', () => {
    expect(choices).toHaveLength(40);
    expect(docs.match(/^\| .* \|$/gm)).toHaveLength(choices.length + 1);
    expect(new Set(choices.map(({ tool }) => tool))).toEqual(new Set(TOOL_NAMES));
  });

  test.each(choices)('quotes the definition of the tool for "$said"', ({ tool, args, words }) => {
    const definition = tools.get(tool);
    const { properties = {}, required = [] } = definition?.inputSchema ?? {};
    const texts = [JSON.stringify(definition), JSON.stringify(properties)].join();

    expect(texts).toContain(JSON.stringify(JSON.parse(`"${words}"`)).slice(1, -1));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(JSON.parse(args))));
    expect(Object.keys(JSON.parse(args))).toEqual(expect.arrayContaining(required));
  });

  test('promises the results of all calls that only read', async () => {
    const { ids, client } = await setUp();
    const reading = choices.filter(({ tool }) => tools.get(tool)?.annotations?.readOnlyHint);

    for (const choice of reading) await assertResult(choice, ids, client);
    expect(reading.length).toBeGreaterThan(20);
  });

  test.each(choices.filter(({ tool }) => !tools.get(tool)?.annotations?.readOnlyHint))(
    'promises the result of "$said"',
    async (choice) => {
      const { ids, client } = await setUp();

      await assertResult(choice, ids, client);
    },
  );
});

async function assertResult({ said, tool, args, result }: Choice, ids: Ids, client: ToolClient): Promise<void> {
  const [, kind = '', named = ''] = /^(.*?)(?: (?:with |of )?(\$\w+|\d+))?$/.exec(result) ?? [];
  const { isError, text, body } = await client.call(tool, JSON.parse(fill(args, ids)) as Record<string, unknown>);

  expect({ said, isError, text }).toMatchObject({ said, isError: false });
  expect(`${said}\n${text}`.slice(said.length + 1)).toMatch(TEXTS[kind]?.(fill(named, ids)) ?? /unknown kind/);
  if (kind === 'text') expect(body.memoryIds).toContain(fill(named, ids));
}
