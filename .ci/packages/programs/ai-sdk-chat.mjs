// Chats with a scripted model through the installed package: what one conversation says, the next one knows.
import { memoryMiddleware, memoryTools } from '@memory-service/ai-sdk';
import { MemoryClient } from '@memory-service/sdk';
import { generateText, stepCountIs, streamText, wrapLanguageModel } from 'ai';
import * as testing from 'ai/test';

const Model = testing.MockLanguageModelV4 ?? testing.MockLanguageModelV3;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const STOP = { unified: 'stop', raw: undefined };
const answerTo = (prompt) => (JSON.stringify(prompt).includes('green tea') ? 'Green tea.' : 'Which tea?');
const search = { type: 'tool-call', toolCallId: '1', toolName: 'memory_search', input: '{"query":"tea"}' };
const provider = new Model({
  doGenerate: async ({ prompt, tools }) => {
    const searches = tools !== undefined && prompt.at(-1).role === 'user';
    const content = [searches ? search : { type: 'text', text: answerTo(prompt) }];
    return { content, finishReason: searches ? { ...STOP, unified: 'tool-calls' } : STOP, usage, warnings: [] };
  },
  doStream: async ({ prompt }) => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'text-start', id: '1' });
        controller.enqueue({ type: 'text-delta', id: '1', delta: answerTo(prompt) });
        controller.enqueue({ type: 'text-end', id: '1' });
        controller.enqueue({ type: 'finish', finishReason: STOP, usage });
        controller.close();
      },
    }),
  }),
});

const subjectKey = `user-${crypto.randomUUID()}`;
const client = new MemoryClient();
const chat = () => {
  const failing = (error) => {
    throw error;
  };
  return wrapLanguageModel({ model: provider, middleware: memoryMiddleware(client, { subjectKey, onError: failing }) });
};

await streamText({ model: chat(), prompt: 'I drink green tea with milk.' }).consumeStream();
const { text } = await generateText({ model: chat(), prompt: 'Which tea do I drink with milk?' });
const { memory_search } = memoryTools(client, { subjectKey });
const tools = { memory_search };
const called = await generateText({ model: provider, tools, prompt: 'Tea, please.', stopWhen: stepCountIs(2) });
const stored = (await client.forSubject(subjectKey).recent()).results.map(({ content }) => content);

if (text !== 'Green tea.') throw new Error(`the middleware recalled nothing: ${text}`);
if (called.text !== 'Green tea.') throw new Error(`the tool found nothing: ${called.text}`);
if (stored.length !== 2) throw new Error(`not two turns are stored: ${stored}`);
console.log('recalled, found by the tool, and stored two turns');
