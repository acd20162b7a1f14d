// Gives a chat on the AI SDK a memory per user by middleware. A scripted model stands in for a real one.
import assert from 'node:assert/strict';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';

type Reply = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;

const usage: Reply['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason: Reply['finishReason'] = { unified: 'stop', raw: undefined };
const provider = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: 'text', text: answerTo(prompt) }],
    finishReason,
    usage,
    warnings: [],
  }),
  doStream: async ({ prompt }) => ({
    stream: simulateReadableStream({
      chunks: [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: answerTo(prompt) },
        { type: 'text-end', id: '1' },
        { type: 'finish', finishReason, usage },
      ],
    }),
  }),
});

function answerTo(prompt: object): string {
  return JSON.stringify(prompt).includes('window seat') ? 'A window seat, as always.' : 'Which seat do you like?';
}

// #region middleware
import { memoryMiddleware } from '@memory-service/ai-sdk';
import { MemoryClient } from '@memory-service/sdk';
import { generateText, streamText, wrapLanguageModel } from 'ai';

const client = new MemoryClient(); // reads MEMORY_BASE_URL and MEMORY_TOKEN

/** A model that knows one user. `provider` is any model of the AI SDK. */
function modelFor(userId: string) {
  return wrapLanguageModel({ model: provider, middleware: memoryMiddleware(client, { subjectKey: userId }) });
}

await generateText({ model: modelFor('dora'), prompt: 'I always take a window seat on trains.' });

// Another conversation, days later:
const { textStream } = streamText({ model: modelFor('dora'), prompt: 'Which seat do I take on trains?' });
for await (const text of textStream) process.stdout.write(text);
// #endregion middleware

const { results } = await client.forSubject('dora').recent();
const stranger = await generateText({ model: modelFor('emil'), prompt: 'Which seat do I take on trains?' });
assert.equal(results.at(-1)?.content, 'I always take a window seat on trains.');
assert.equal(stranger.text, 'Which seat do you like?');

// #region remember
const middleware = memoryMiddleware(client, {
  subjectKey: 'fay',
  remember: (said) => (said.endsWith('?') ? undefined : { content: said, metadata: { kind: 'statement' } }),
  onError: (error, step) => console.error(`memory: ${step} failed`, error),
});
// #endregion remember

const model = wrapLanguageModel({ model: provider, middleware });
for (const prompt of ['Is it raining?', 'I live in Rome.']) await generateText({ model, prompt });
const { results: statements } = await client.forSubject('fay').recent();
assert.deepEqual(
  statements.map(({ content, metadata }) => [content, metadata]),
  [['I live in Rome.', { kind: 'statement' }]],
);
