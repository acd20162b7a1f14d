// Gives the memories of one user to an agent of OpenAI's Agents SDK as tools. A scripted model stands in for a real one.
import assert from 'node:assert/strict';
// #region agents
import { MemoryClient } from '@memory-service/sdk';
import { z } from 'zod';

const client = new MemoryClient();

/** `const { recall, remember } = memoryTools(userId)`, and then `new Agent({ …, tools: [tool(recall), tool(remember)] })`. */
function memoryTools(userId: string) {
  const memory = client.forSubject(userId); // the model cannot choose whose memories it reads and writes
  const recall = {
    name: 'recall',
    description: 'Finds what the user has told before. Use it before you answer a question about the user.',
    parameters: z.object({ query: z.string().describe('What to look for, in words of the user.') }),
    execute: async ({ query }: { query: string }) => {
      const { results } = await memory.search({ query, limit: 5 });
      return results.map(({ content }) => `- ${content}`).join('\n') || 'Nothing is known.';
    },
  };
  const remember = {
    name: 'remember',
    description: 'Stores a fact about the user that is worth knowing in later conversations.',
    parameters: z.object({ fact: z.string().describe('One self-contained sentence.') }),
    execute: async ({ fact }: { fact: string }) => {
      const { outcome } = await memory.ingest({ content: fact });
      return outcome;
    },
  };
  return { recall, remember };
}
// #endregion agents

/** A model that stores statements, and looks up what it is asked. It writes arguments as JSON, as models do. */
async function answer(userId: string, message: string): Promise<string> {
  const { recall, remember } = memoryTools(userId);
  if (!message.endsWith('?')) {
    return remember.execute(remember.parameters.parse(JSON.parse(JSON.stringify({ fact: message }))));
  }
  return recall.execute(recall.parameters.parse(JSON.parse(JSON.stringify({ query: message }))));
}

assert.equal(await answer('agents-ana', 'Ana takes a window seat on trains.'), 'created');
assert.equal(await answer('agents-ana', 'Which seat on the train?'), '- Ana takes a window seat on trains.');
assert.equal(await answer('agents-ben', 'Which seat on the train?'), 'Nothing is known.');
console.log(await answer('agents-ana', 'Which seat on the train?'));
