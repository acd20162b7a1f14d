// An agent that remembers: a plain loop of tool calls, with a scripted model instead of a real one.
import assert from 'node:assert/strict';
import { MemoryApiError, MemoryClient } from '@memory-service/sdk';

const client = new MemoryClient();

// #region tools
interface ToolCall {
  name: string;
  input: Record<string, string>;
}

interface Message {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  toolCall?: ToolCall;
}

/** The tools of the model. Each is one call of the client. */
const tools: Record<string, (input: Record<string, string>) => Promise<unknown>> = {
  async recall({ query = '' }) {
    const { results } = await client.search({ query, limit: 3, filter: { agentId: 'concierge' } });
    return results.map(({ content }) => content);
  },
  async remember({ fact = '' }) {
    const { outcome } = await client.ingest({ content: fact, metadata: { agentId: 'concierge' } });
    return outcome;
  },
};

async function run(model: (messages: Message[]) => Message, question: string): Promise<string> {
  const messages: Message[] = [{ role: 'user', text: question }];
  for (;;) {
    const reply = model(messages);
    messages.push(reply);
    if (!reply.toolCall) return reply.text;
    messages.push({ role: 'tool', text: await callTool(reply.toolCall) });
  }
}

/** Returns errors of the service to the model, and throws all others. */
async function callTool({ name, input }: ToolCall): Promise<string> {
  try {
    return JSON.stringify(await tools[name]?.(input));
  } catch (error) {
    if (error instanceof MemoryApiError) return `${error.code}: ${error.message}`;
    throw error;
  }
}
// #endregion tools

/** Stores what the user says, and searches before it answers a question. */
function scriptedModel(messages: Message[]): Message {
  const question = messages[0]?.text ?? '';
  const last = messages.at(-1);
  if (last?.role === 'tool') return { role: 'assistant', text: last.text };
  const toolCall: ToolCall = question.endsWith('?')
    ? { name: 'recall', input: { query: question } }
    : { name: 'remember', input: { fact: question } };
  return { role: 'assistant', text: '', toolCall };
}

assert.equal(await run(scriptedModel, 'Guest Okafor wants a quiet room.'), '"created"');
assert.equal(await run(scriptedModel, 'Guest Okafor wants a quiet room.'), '"deduplicated"');
assert.match(await run(scriptedModel, 'Which room does guest Okafor want?'), /quiet room/);
assert.match(await run(scriptedModel, ' '), /validation_failed/);
console.log('the agent remembered across conversations, and read why a call was rejected');
