import { MemoryClient, MemoryConnectionError, ScopeError } from '@memory-service/sdk';
import { StandInService } from '@memory-service/sdk/testing';
import { generateText, type ModelMessage, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type MemoryMiddlewareOptions, memoryMiddleware } from './memory-middleware.js';

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

const standIn = new StandInService();
const network = setupServer(...standIn.handlers);
const requests: Request[] = [];
const client = new MemoryClient({ baseUrl: standIn.baseUrl, token: 'any', maxRetries: 0 });
const ana = client.forSubject('ana');

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const STOP = { unified: 'stop', raw: undefined } as const;

beforeAll(() => {
  network.listen({ onUnhandledRequest: 'error' });
  network.events.on('request:start', ({ request }) => requests.push(request));
});
afterEach(() => {
  standIn.reset();
  requests.length = 0;
});
afterAll(() => network.close());

function answering(text: string): Generated {
  return { content: [{ type: 'text', text }], finishReason: STOP, usage: USAGE, warnings: [] };
}

function streaming(...parts: StreamPart[]) {
  return { stream: simulateReadableStream({ chunks: parts, initialDelayInMs: null, chunkDelayInMs: null }) };
}

const STREAMED: StreamPart[] = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Green ' },
  { type: 'text-delta', id: '1', delta: 'tea.' },
  { type: 'text-end', id: '1' },
  { type: 'finish', finishReason: STOP, usage: USAGE },
];

function modelOf(options: Partial<MemoryMiddlewareOptions> = {}, answer: Generated[] = [answering('Green tea.')]) {
  const mock = new MockLanguageModelV3({ doGenerate: answer, doStream: async () => streaming(...STREAMED) });
  const middleware = memoryMiddleware(client, { subjectKey: 'ana', minRelevance: 0, ...options });
  return { mock, model: wrapLanguageModel({ model: mock, middleware }) };
}

/** Returns the texts of the newest turn of the user in a call of the model. */
function userTexts(mock: MockLanguageModelV3, call = 0): string[] {
  const prompt = [...mock.doGenerateCalls, ...mock.doStreamCalls][call]?.prompt ?? [];
  const content = prompt.findLast(({ role }) => role === 'user')?.content ?? [];
  return [...content].flatMap((part) => (typeof part === 'object' && part.type === 'text' ? [part.text] : []));
}

function contents(): string[] {
  return standIn.memories.map(({ content }) => content);
}

function paths(): string[] {
  return requests.map(({ url }) => new URL(url).pathname);
}

describe('recalling', () => {
  test('puts the memories of the subject before its newest turn', async () => {
    await ana.ingest({ content: 'Ana drinks green tea.\nWithout milk.' });
    await client.forSubject('ben').ingest({ content: 'Ben drinks black tea.' });
    const { mock, model } = modelOf();

    const { text } = await generateText({ model, system: 'Be brief.', prompt: 'Which tea does Ana drink?' });

    const [recalled, own] = userTexts(mock);
    expect(text).toBe('Green tea.');
    expect(own).toBe('Which tea does Ana drink?');
    expect(recalled).toMatch(
      /^<memories>\n.+\n- \d{4}-\d\d-\d\d: Ana drinks green tea\. Without milk\.\n<\/memories>\n$/,
    );
    expect(mock.doGenerateCalls[0]?.prompt[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });

  test('leaves the prompt alone if nothing is relevant enough', async () => {
    await ana.ingest({ content: 'Ana drinks green tea.' });
    const { mock, model } = modelOf({ minRelevance: 0.9 });

    await generateText({ model, prompt: 'Which train goes to Rome?' });

    expect(userTexts(mock)).toEqual(['Which train goes to Rome?']);
  });

  test('leaves out what the prompt contains', async () => {
    await ana.ingest({ content: 'I drink green tea.' });
    const { mock, model } = modelOf();
    const messages: ModelMessage[] = [
      { role: 'user', content: 'I drink green tea.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'What do I drink?' },
    ];

    await generateText({ model, messages });

    expect(userTexts(mock)).toEqual(['What do I drink?']);
  });

  test('does not search for a turn without text', async () => {
    const { mock, model } = modelOf();
    const file = { type: 'file', mediaType: 'image/png', data: new Uint8Array([1]) } as const;

    await generateText({ model, messages: [{ role: 'user', content: [file] }] });

    expect(mock.doGenerateCalls).toHaveLength(1);
    expect(requests).toEqual([]);
  });

  test('searches once for all steps of a turn, and stores it once', async () => {
    await ana.ingest({ content: 'Ana drinks green tea.' });
    requests.length = 0;
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'brew', input: '{}' } as const;
    const calling = {
      ...answering(''),
      content: [call],
      finishReason: { unified: 'tool-calls', raw: undefined },
    } as const;
    const { mock, model } = modelOf({}, [{ ...calling, content: [call] }, answering('Done.')]);
    const brew = tool({ inputSchema: z.object({}), execute: () => 'brewed' });

    await generateText({ model, prompt: 'Brew my tea.', tools: { brew }, stopWhen: stepCountIs(3) });

    expect(mock.doGenerateCalls).toHaveLength(2);
    expect(userTexts(mock, 1)).toEqual(userTexts(mock, 0));
    expect(userTexts(mock, 1)[0]).toContain('green tea');
    expect(paths()).toEqual(['/api/memories/search', '/api/memories']);
  });
});

describe('storing', () => {
  test('stores the words of the user after the answer, with the values of the scope', async () => {
    const stored: string[][] = [];
    const { mock, model } = modelOf({ project: 'acme' });
    const generate = mock.doGenerate.bind(mock);
    mock.doGenerate = async (call) => {
      stored.push(contents());
      return generate(call);
    };

    await generateText({ model, prompt: 'I moved to Rome.' });

    expect(stored).toEqual([[]]);
    expect(standIn.memories).toMatchObject([
      { content: 'I moved to Rome.', subjectKey: 'ana', metadata: { project: 'acme' } },
    ]);
  });

  test('stores before a stream ends, after its text', async () => {
    const { model } = modelOf();
    const atText: string[][] = [];

    const { textStream } = streamText({ model, prompt: 'I moved to Rome.' });
    let text = '';
    for await (const delta of textStream) {
      text += delta;
      atText.push(contents());
    }

    expect(text).toBe('Green tea.');
    expect(atText[0]).toEqual([]);
    expect(contents()).toEqual(['I moved to Rome.']);
  });

  test('stores nothing if the answer fails', async () => {
    const { mock, model } = modelOf();
    mock.doGenerate = () => Promise.reject(new Error('overloaded'));
    mock.doStream = async () => streaming({ type: 'error', error: new Error('overloaded') });
    const onError = vi.fn();

    await expect(generateText({ model, prompt: 'I moved to Rome.', maxRetries: 0 })).rejects.toThrow('overloaded');
    await streamText({ model, prompt: 'I moved to Rome.', onError }).consumeStream();

    expect(onError).toHaveBeenCalledOnce();
    expect(contents()).toEqual([]);
  });

  test('stores what the application chooses', async () => {
    const remember = (text: string) =>
      text.endsWith('?') ? undefined : { content: `Ana says: ${text}`, metadata: { kind: 'fact' } };
    const { model } = modelOf({ remember }, [answering('a'), answering('b')]);

    await generateText({ model, prompt: 'Where do I live?' });
    await generateText({ model, prompt: 'I live in Rome.' });

    expect(standIn.memories).toMatchObject([{ content: 'Ana says: I live in Rome.', metadata: { kind: 'fact' } }]);
  });

  test('stores each of two equal texts if the application says so', async () => {
    const { model } = modelOf({ remember: (content) => ({ content, dedupe: 'off' }) }, [
      answering('a'),
      answering('b'),
    ]);

    await generateText({ model, prompt: 'Good morning.' });
    await generateText({ model, prompt: 'Good morning.' });

    expect(contents()).toEqual(['Good morning.', 'Good morning.']);
  });

  test('stores nothing with remember: false', async () => {
    const { model } = modelOf({ remember: false });

    await generateText({ model, prompt: 'I moved to Rome.' });

    expect(paths()).toEqual(['/api/memories/search']);
  });

  test('hands storing over to waitUntil', async () => {
    const handed: Promise<void>[] = [];
    const { model } = modelOf({ waitUntil: (stored) => handed.push(stored) });

    await generateText({ model, prompt: 'I moved to Rome.' });
    await Promise.all(handed);

    expect(handed).toHaveLength(1);
    expect(contents()).toEqual(['I moved to Rome.']);
  });
});

describe('a failure of the memory service', () => {
  test('is reported and does not break the conversation', async () => {
    const onError = vi.fn();
    const { model } = modelOf({ onError });
    standIn.failNext('connection', { status: 503 });

    const { text } = await generateText({ model, prompt: 'I moved to Rome.' });

    expect(text).toBe('Green tea.');
    expect(onError.mock.calls.map(([error, step]) => [error.name, step])).toEqual([
      ['MemoryConnectionError', 'recall'],
      ['UnavailableError', 'store'],
    ]);
  });

  test('is reported while streaming too', async () => {
    const onError = vi.fn();
    const { model } = modelOf({ onError });
    standIn.failNext('connection', 'connection');

    const text = await streamText({ model, prompt: 'I moved to Rome.' }).text;

    expect(text).toBe('Green tea.');
    expect(onError.mock.calls.map(([, step]) => step)).toEqual(['recall', 'store']);
  });

  test('is a warning on the console without onError', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { model } = modelOf();
    standIn.failNext('connection');

    await generateText({ model, prompt: 'I moved to Rome.' });

    expect(warn.mock.calls).toEqual([
      ['@memory-service/ai-sdk: could not recall memories', expect.any(MemoryConnectionError)],
    ]);
    warn.mockRestore();
  });

  test('breaks the conversation if onError throws', async () => {
    const { mock, model } = modelOf({
      onError: (error) => {
        throw error;
      },
    });
    standIn.failNext('connection');

    await expect(generateText({ model, prompt: 'Hello.', maxRetries: 0 })).rejects.toThrow(MemoryConnectionError);
    expect(mock.doGenerateCalls).toEqual([]);
  });

  test('includes a service that does not respond', async () => {
    const silent = new MemoryClient({
      baseUrl: standIn.baseUrl,
      token: 'any',
      fetch: (input, init) => untilAborted(new Request(input, init).signal),
    });
    const onError = vi.fn();
    const mock = new MockLanguageModelV3({ doGenerate: answering('Hello.') });
    const middleware = memoryMiddleware(silent, { subjectKey: 'ana', timeoutMs: 1, onError });

    const { text } = await generateText({ model: wrapLanguageModel({ model: mock, middleware }), prompt: 'Hello.' });

    expect(text).toBe('Hello.');
    expect(onError.mock.calls.map(([error, step]) => [error.name, step])).toEqual([
      ['MemoryTimeoutError', 'recall'],
      ['MemoryTimeoutError', 'store'],
    ]);
  });
});

test('an abort of the caller ends recalling, and is not a failure of the service', async () => {
  const onError = vi.fn();
  const { mock, model } = modelOf({ onError });
  const abortSignal = AbortSignal.abort();

  await expect(generateText({ model, prompt: 'Hello.', abortSignal })).rejects.toThrow('aborted');

  expect(mock.doGenerateCalls).toEqual([]);
  expect(onError).not.toHaveBeenCalled();
});

test('a subject key that is missing is rejected at once', () => {
  const subjectKey = undefined as unknown as string;

  expect(() => memoryMiddleware(client, { subjectKey })).toThrow(ScopeError);
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
