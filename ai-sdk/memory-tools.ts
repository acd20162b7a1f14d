import {
  type Memory,
  type MemoryClient,
  type MemoryScope,
  NotFoundError,
  type SubjectKey,
  type WrittenMemory,
} from '@memory-service/sdk';
import { type Tool, tool } from 'ai';
import { z } from 'zod';
import { cut, tokensOf } from './tokens.js';

/** The values that all memories of the tools have, and options. */
export interface MemoryToolsOptions extends MemoryScope {
  /** The subject whose memories the model may read and change, such as the id of the signed-in user. */
  readonly subjectKey: SubjectKey;
  /** Maximum number of tokens of the contents in a result, estimated by bytes. Default: 1,000. */
  readonly maxTokens?: number | undefined;
}

export interface FoundMemory {
  id: string;
  /** The day of its creation, in UTC. */
  date: string;
  content: string;
  /** True if the content is cut. */
  truncated?: true;
}

export interface FoundMemories {
  memories: FoundMemory[];
  /** The number of memories that were left out to fit. */
  omitted?: number;
}

/** The tools by name. The names are those of the tools over MCP. */
export type MemoryTools = {
  memory_search: Tool<{ query: string; limit?: number | undefined }, FoundMemories>;
  memory_recent: Tool<{ limit?: number | undefined }, FoundMemories>;
  memory_ingest: Tool<{ content: string }, Pick<WrittenMemory, 'id' | 'outcome'>>;
  memory_update: Tool<{ id: string; content: string }, Pick<WrittenMemory, 'id' | 'outcome'>>;
  memory_delete: Tool<{ id: string }, { id: string; deleted: true }>;
};

const MAX_RESULTS = 20;
const limit = z.number().int().min(1).max(MAX_RESULTS).optional().describe('How many, at most 20. Default: 5.');
const id = z.string().min(1).describe('The id of a memory, from memory_search or memory_recent.');
const content = z
  .string()
  .min(1)
  .describe('One self-contained sentence with names and dates, e.g. "Ana prefers aisle seats on long flights."');

/**
 * Creates tools with which a model reads and changes the memories of one subject. The model chooses the words, never the
 * subject. Leave out tools that it must not have.
 *
 * @throws {ScopeError} if the subject key is missing, for example because nobody is signed in
 * @example const { memory_search, memory_ingest } = memoryTools(client, { subjectKey: 'user-1' });
 */
export function memoryTools(client: MemoryClient, options: MemoryToolsOptions): MemoryTools {
  const { maxTokens = 1_000, ...scope } = options;
  const memories = client.scoped<MemoryScope>(scope);
  return {
    memory_search: tool({
      description:
        'Search what is remembered about the user, by meaning. Use it before you answer about the user, and before you store a fact.',
      inputSchema: z.object({
        query: z.string().min(1).describe('What to find, in plain words, e.g. "seat on flights".'),
        limit,
      }),
      execute: async ({ query, limit = 5 }, { abortSignal }) => {
        const { results } = await memories.search({ query, limit }, { signal: abortSignal });
        return fit(
          results.filter(({ score }) => score > 0),
          maxTokens,
        );
      },
    }),
    memory_recent: tool({
      description:
        'List the newest memories about the user. Use it to learn what is known at all; to find something, search.',
      inputSchema: z.object({ limit }),
      execute: async ({ limit = 5 }, { abortSignal }) => {
        const { results } = await memories.recent({ limit }, { signal: abortSignal });
        return fit(results, maxTokens);
      },
    }),
    memory_ingest: tool({
      description:
        'Remember one fact, decision or preference of the user. Use it for what will matter in later conversations. A known fact is not stored twice.',
      inputSchema: z.object({ content }),
      execute: async (memory, { abortSignal }) => outcomeOf(await memories.ingest(memory, { signal: abortSignal })),
    }),
    memory_update: tool({
      description: 'Replace the content of a memory. Use it when a fact about the user has changed.',
      inputSchema: z.object({ id, content }),
      execute: async ({ id, content }, { abortSignal }) =>
        outcomeOf(await known(id, memories.update(id, { content }, { signal: abortSignal }))),
    }),
    memory_delete: tool({
      description: 'Forget a memory. Use it when it is wrong, or the user asks you to forget it.',
      inputSchema: z.object({ id }),
      execute: async ({ id }, { abortSignal }) => {
        await known(id, memories.delete(id, { signal: abortSignal }));
        return { id, deleted: true as const };
      },
    }),
  };
}

/** Returns as many memories as fit. Cuts the first one that does not. */
function fit(memories: readonly Pick<Memory, 'id' | 'content' | 'createdAt'>[], maxTokens: number): FoundMemories {
  const found: FoundMemory[] = [];
  let left = maxTokens;
  for (const { id, content, createdAt } of memories) {
    const shown = cut(content, left);
    if (shown === '') break;
    left -= tokensOf(shown);
    found.push({ id, date: createdAt.slice(0, 10), content: shown, ...(shown !== content && { truncated: true }) });
  }
  const omitted = memories.length - found.length;
  return { memories: found, ...(omitted > 0 && { omitted }) };
}

function outcomeOf({ id, outcome }: Pick<WrittenMemory, 'id' | 'outcome'>): Pick<WrittenMemory, 'id' | 'outcome'> {
  return { id, outcome };
}

/** Tells the model what to do about an id that does not exist or belongs to another subject. */
async function known<Result>(id: string, call: PromiseLike<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw new Error(`No memory has the id ${id}. Use an id of memory_search.`, { cause: error });
  }
}
