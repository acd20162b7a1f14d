// A chat that remembers each of its users. A function stands in for a model: it repeats what it was told of the user.
import assert from 'node:assert/strict';

const model = async (system: string, _message: string) => system;

// #region chat
import { MemoryClient } from '@memory-service/sdk';

const client = new MemoryClient();
async function chat(userId: string, message: string) {
  const memory = client.forSubject(userId);
  const { results } = await memory.search({ query: message, limit: 5 });
  const known = results.map(({ content }) => content).join('\n');
  await memory.ingest({ content: message });
  return model(`What you know of the user:\n${known}`, message);
}
await chat('ana', 'I am a vegetarian and allergic to nuts.');
console.log(await chat('ana', 'What may I eat?'));
// #endregion chat

assert.match(await chat('ana', 'Am I allergic to anything?'), /allergic to nuts/);
assert.doesNotMatch(await chat('ben', 'Am I allergic to anything?'), /nuts/);
