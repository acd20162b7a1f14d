// Keeps the long-term memory of a LangGraph agent in the service.
import assert from 'node:assert/strict';
// #region langgraph
import { MemoryServiceStore } from '@memory-service/langgraph';
import { MemoryClient } from '@memory-service/sdk';

const client = new MemoryClient(); // reads MEMORY_BASE_URL and MEMORY_TOKEN
const store = new MemoryServiceStore(client, {
  subjectKey: ([, userId]) => userId, // whom ['users', userId] is about
  fields: ['text'],
});

// An agent gets the store by `graph.compile({ store })`, and its nodes use it like this:
const namespace = ['users', 'hana'];
await store.put(namespace, 'seat', { text: 'Takes a window seat on trains.', kind: 'preference' });
await store.put(namespace, 'home', { text: 'Lives in Rome.', kind: 'fact' });

const items = await store.search(namespace, { query: 'Which seat on the train?', limit: 1 });
const facts = await store.search(namespace, { filter: { kind: { $ne: 'preference' } } });
console.log(items[0]?.value, facts.length);
// #endregion langgraph

assert.equal(items[0]?.key, 'seat');
assert.deepEqual(
  facts.map(({ key }) => key),
  ['home'],
);
await store.delete(namespace, 'home');
assert.equal(await store.get(namespace, 'home'), null);
const { results } = await client.forSubject('hana').search({ query: 'window seat' });
assert.equal(results[0]?.content, 'Takes a window seat on trains.');
