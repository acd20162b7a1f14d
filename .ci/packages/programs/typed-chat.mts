// Uses the types of the installed package with those of the installed AI SDK. It is compiled, not run.
import { type MemoryTools, memoryMiddleware, memoryTools } from '@memory-service/ai-sdk';
import { MemoryClient } from '@memory-service/sdk';
import { generateText, type InferToolInput, streamText, type ToolSet, wrapLanguageModel } from 'ai';

type Model = Parameters<typeof wrapLanguageModel>[0]['model'];
type Query = InferToolInput<MemoryTools['memory_search']>;

export async function chat(provider: Model, userId: string, limit: number | undefined): Promise<string> {
  const client = new MemoryClient();
  const middleware = memoryMiddleware(client, {
    subjectKey: userId,
    project: 'acme',
    limit,
    remember: async (text) => ({ content: text, metadata: { kind: 'note' } }),
    onError: (error, step) => console.error(step, error),
  });
  const model = wrapLanguageModel({ model: provider, middleware: [middleware] });
  const tools = memoryTools(client, { subjectKey: userId });
  const { memory_search, memory_ingest } = tools;
  const all: ToolSet = { ...tools };
  const { text, steps } = await generateText({ model, tools: { memory_search, memory_ingest }, prompt: 'Hello.' });
  for (const { toolName } of steps.flatMap(({ toolCalls }) => toolCalls)) console.log(toolName);
  const query: Query = { query: 'tea', limit: undefined };
  const stream = streamText({ model, tools: all, prompt: query.query });
  return text + (await stream.text);
}

// @ts-expect-error the subject is required
export const nobody = (client: MemoryClient) => memoryMiddleware(client, { limit: 3 });
// @ts-expect-error the model cannot choose the subject
export const input: Query = { query: 'tea', subjectKey: 'ben' };
