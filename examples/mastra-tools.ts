// Gives the memories of one user to an agent of Mastra as tools. A scripted model stands in for a real one.
import assert from 'node:assert/strict';
// #region mastra
import { MemoryClient } from '@memory-service/sdk';
import { z } from 'zod';

const client = new MemoryClient();

/** `new Agent({ …, tools: { recall: createTool(recall), remember: createTool(remember) } })` with those of `memoryTools`. */
function memoryTools(userId: string) {
  const memory = client.forSubject(userId); // the model cannot choose whose memories it reads and writes
  const recall = {
    id: 'recall',
    description: 'Finds what the user has told before. Use it before you answer a question about the user.',
    inputSchema: z.object({ query: z.string().describe('What to look for, in words of the user.') }),
    outputSchema: z.object({ memories: z.array(z.string()) }),
    execute: async ({ query }: { query: string }) => {
      const { results } = await memory.search({ query, limit: 5 });
      return { memories: results.map(({ content }) => content) };
    },
  };
  const remember = {
    id: 'remember',
    description: 'Stores a fact about the user that is worth knowing in later conversations.',
    inputSchema: z.object({ fact: z.string().describe('One self-contained sentence.') }),
    outputSchema: z.object({ outcome: z.string() }),
    execute: async ({ fact }: { fact: string }) => {
      const { outcome } = await memory.ingest({ content: fact });
      return { outcome };
    },
  };
  return { recall, remember };
}
// #endregion mastra

const ana = memoryTools('mastra-ana');
const stored = await ana.remember.execute(
  ana.remember.inputSchema.parse({ fact: 'Ana takes a window seat on trains.' }),
);
assert.deepEqual(ana.remember.outputSchema.parse(stored), { outcome: 'created' });

const question = { query: 'Which seat on the train?' };
const found = await ana.recall.execute(ana.recall.inputSchema.parse(question));
assert.deepEqual(ana.recall.outputSchema.parse(found), { memories: ['Ana takes a window seat on trains.'] });
assert.deepEqual(await memoryTools('mastra-ben').recall.execute(question), { memories: [] });
console.log(found.memories[0]);
