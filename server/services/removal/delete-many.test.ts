import { expect, test } from 'vitest';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { ingestBatch } from '../writing/batch.js';
import { ingest } from '../writing/ingest.js';
import { updateMemory } from '../writing/update.js';
import { deleteMany } from './delete-many.js';

test('other writers run between the units of a large deletion', async () => {
  const { deps, caller } = await testWorld();
  const other = await anotherCaller(deps);
  const items = Array.from({ length: 600 }, (_, n) => ({ input: { content: `memory ${n}`, metadata: { kind: 'a' } } }));
  await ingestBatch({ ...deps, limits: { ...deps.limits, batchItems: 600 } }, caller, items, false);
  const ended: string[] = [];

  const deletion = deleteMany(deps, caller, { filter: { kind: 'a' }, expectedCount: 600 });
  const writes = [caller, other].map((who) => ingest(deps, who, { content: 'written meanwhile' }));
  await Promise.all([
    deletion.then(({ deleted }) => ended.push(`deleted ${deleted}`)),
    ...writes.map((write) => write.then(() => ended.push('written'))),
  ]);

  expect(ended).toEqual(['written', 'written', 'deleted 600']);
});

test('a memory that stops matching before its turn is not deleted', async () => {
  const { deps, caller } = await testWorld();
  const { memory } = await ingest(deps, caller, { content: 'x', metadata: { kind: 'a' } });
  const { store } = deps;
  const findMatching: typeof store.memories.findMatching = async (...query) => {
    const found = await store.memories.findMatching(...query);
    await updateMemory(deps, caller, memory.id, { metadata: { kind: 'b' } });
    return found;
  };
  const memories = replaceMethods(store.memories, { findMatching });
  const racing = { ...deps, store: replaceMethods(store, { memories }) };

  const answer = await deleteMany(racing, caller, { filter: { kind: 'a' }, expectedCount: 1 });

  expect(answer).toEqual({ deleted: 0, missing: [], remaining: 0 });
});
