// Puts, finds and deletes an item with the installed store, through the queue that LangGraph puts before it.
import { AsyncBatchedStore, BaseStore } from '@langchain/langgraph-checkpoint';
import { MemoryServiceStore } from '@memory-service/langgraph';
import { MemoryClient } from '@memory-service/sdk';

const direct = new MemoryServiceStore(new MemoryClient());
const store = new AsyncBatchedStore(direct);
store.start();
const namespace = ['users', crypto.randomUUID()];
await Promise.all(['tea', 'coffee'].map((drink) => store.put(namespace, drink, { text: `Drinks ${drink}.` })));
const [item] = await store.search(namespace, { query: 'Who drinks tea?', limit: 1 });
await store.delete(namespace, 'tea');
const left = await store.search(namespace);
await store.stop();

if (!(direct instanceof BaseStore)) throw new Error('the store is not a BaseStore');
if (item?.key !== 'tea') throw new Error(`the search found ${item?.key}`);
if (left.length !== 1) throw new Error(`${left.length} items are left`);
console.log('put, found and deleted through the queue of LangGraph');
