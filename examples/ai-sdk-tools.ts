// Gives the memories of one user to a model of the AI SDK as tools. A scripted model stands in for a real one.
import assert from 'node:assert/strict';
import { MockLanguageModelV3 } from 'ai/test';

type Reply = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;

const provider = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const result = prompt.findLast(({ role }) => role === 'tool');
    if (result === undefined) return CALLING;
    const isFound = JSON.stringify(result).includes('window seat');
    return replying([{ type: 'text', text: isFound ? 'A window seat, as always.' : 'Which seat do you like?' }]);
  },
});
const CALLING = replying([
  { type: 'tool-call', toolCallId: '1', toolName: 'memory_search', input: '{"query":"seat on trains"}' },
]);

function replying(content: Reply['content']): Reply {
  return {
    content,
    finishReason: { unified: content[0]?.type === 'tool-call' ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  };
}

// #region tools
import { memoryTools } from '@memory-service/ai-sdk';
import { MemoryClient } from '@memory-service/sdk';
import { generateText, stepCountIs } from 'ai';

const client = new MemoryClient();
await client.forSubject('gil').ingest({ content: 'Takes a window seat on trains.' });

const { memory_search, memory_ingest } = memoryTools(client, { subjectKey: 'gil' });
const { text } = await generateText({
  model: provider, // any model of the AI SDK
  tools: { memory_search, memory_ingest },
  stopWhen: stepCountIs(5),
  prompt: 'Book me a train to Rome.',
});
console.log(text);
// #endregion tools

assert.equal(text, 'A window seat, as always.');
