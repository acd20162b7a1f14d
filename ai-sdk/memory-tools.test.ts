import { MemoryClient, ScopeError } from '@memory-service/sdk';
import { StandInService } from '@memory-service/sdk/testing';
import { asSchema, generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MemoryTools, type MemoryToolsOptions, memoryTools } from './memory-tools.js';
import { tokensOf } from './tokens.js';

const standIn = new StandInService();
const network = setupServer(...standIn.handlers);
const client = new MemoryClient({ baseUrl: standIn.baseUrl, token: 'any', maxRetries: 0 });
const ana = client.forSubject('ana');

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }));
afterEach(() => standIn.reset());
afterAll(() => network.close());

/** Lets a model call one tool, and returns the result and the error that it gets. */
async function call(toolName: keyof MemoryTools, input: object, options: Partial<MemoryToolsOptions> = {}) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const toolCall = { type: 'tool-call', toolCallId: '1', toolName, input: JSON.stringify(input) } as const;
  const model = new MockLanguageModelV3({
    doGenerate: [
      { content: [toolCall], finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] },
      {
        content: [{ type: 'text', text: 'Done.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
  const tools = memoryTools(client, { subjectKey: 'ana', ...options });
  const { steps } = await generateText({ model, tools, prompt: 'Go on.', stopWhen: stepCountIs(2) });
  const parts = steps.flatMap(({ content }) => content);
  const result = parts.find(({ type }) => type === 'tool-result');
  const failure = parts.find(({ type }) => type === 'tool-error');
  return { output: result?.type === 'tool-result' ? result.output : undefined, error: failure && errorOf(failure) };
}

function errorOf(part: object): string {
  const error = Reflect.get(part, 'error');
  return error instanceof Error ? error.message : String(error);
}

describe('the tools', () => {
  test('find memories of the subject alone', async () => {
    const { id } = await ana.ingest({ content: 'Ana drinks green tea.' });
    await ana.ingest({ content: 'The train goes to Rome.' });
    await client.forSubject('ben').ingest({ content: 'Ben drinks black tea.' });

    const { output } = await call('memory_search', { query: 'drinks tea' });

    expect(output).toEqual({
      memories: [{ id, date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), content: 'Ana drinks green tea.' }],
    });
  });

  test('list the newest memories of the subject', async () => {
    for (const content of ['One.', 'Two.', 'Three.']) await ana.ingest({ content });
    await client.forSubject('ben').ingest({ content: 'Four.' });

    const { output } = await call('memory_recent', { limit: 2 });

    expect(output).toMatchObject({ memories: [{ content: 'Three.' }, { content: 'Two.' }] });
  });

  test('store, change and delete memories of the subject', async () => {
    const { output } = await call('memory_ingest', { content: 'Ana lives in Rome.' }, { project: 'acme' });
    const { id, metadata, subjectKey } = standIn.memories[0]!;
    const changed = await call('memory_update', { id, content: 'Ana lives in Oslo.' });
    const { content } = standIn.memories[0]!;
    const deleted = await call('memory_delete', { id });

    expect(output).toEqual({ id, outcome: 'created' });
    expect({ metadata, subjectKey, content }).toEqual({
      metadata: { project: 'acme' },
      subjectKey: 'ana',
      content: 'Ana lives in Oslo.',
    });
    expect(changed.output).toEqual({ id, outcome: 'updated' });
    expect(deleted.output).toEqual({ id, deleted: true });
    expect(standIn.memories).toEqual([]);
  });

  test.each(['memory_update', 'memory_delete'] as const)(
    '%s tells the model about the id of another subject',
    async (name) => {
      const { id } = await client.forSubject('ben').ingest({ content: 'Ben drinks black tea.' });

      const { error } = await call(name, { id, content: 'x' });

      expect(error).toBe(`No memory has the id ${id}. Use an id of memory_search.`);
      expect(standIn.memories).toMatchObject([{ content: 'Ben drinks black tea.' }]);
    },
  );

  test('pass a failure of the service on to the model', async () => {
    standIn.failNext({ status: 503 });

    const { error } = await call('memory_ingest', { content: 'Ana lives in Rome.' });

    expect(error).toEqual(expect.any(String));
    expect(standIn.memories).toEqual([]);
  });

  test('bound the contents of a result', async () => {
    await ana.ingest({ content: `Tea: ${'green and black '.repeat(100)}` });
    for (const each of ['one', 'two']) await ana.ingest({ content: `Tea ${each}.` });

    const { output } = await call('memory_recent', {}, { maxTokens: 100 });

    const { memories } = output as { memories: { content: string; truncated?: true }[] };
    expect(memories.map(({ truncated }) => truncated)).toEqual([undefined, undefined, true]);
    expect(memories.reduce((sum, { content }) => sum + tokensOf(content), 0)).toBeLessThanOrEqual(100);
  });

  test('say how many memories they leave out', async () => {
    for (const each of ['one', 'two', 'three']) await ana.ingest({ content: `${each} ${'tea '.repeat(20)}` });

    const { output } = await call('memory_recent', {}, { maxTokens: 20 });

    expect(output).toMatchObject({ memories: [{ truncated: true }], omitted: 2 });
  });

  test('have no argument for the subject', async () => {
    const tools = memoryTools(client, { subjectKey: 'ana' });
    const schemas = await Promise.all(
      Object.values(tools).map(({ inputSchema }) => asSchema<unknown>(inputSchema).jsonSchema),
    );

    expect(schemas.flatMap(({ properties = {} }) => Object.keys(properties)).sort()).toEqual([
      'content',
      'content',
      'id',
      'id',
      'limit',
      'limit',
      'query',
    ]);
  });

  test('ignore a subject that the model makes up', async () => {
    await call('memory_ingest', { content: 'Ana lives in Rome.', subjectKey: 'ben' });

    expect(standIn.memories).toMatchObject([{ subjectKey: 'ana' }]);
  });
});

test('a subject key that is missing is rejected at once', () => {
  const subjectKey = undefined as unknown as string;

  expect(() => memoryTools(client, { subjectKey })).toThrow(ScopeError);
});
