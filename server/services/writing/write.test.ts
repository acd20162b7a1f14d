import { describe, expect, test } from 'vitest';
import type { Deps } from '../../deps.js';
import { UnavailableError } from '../../errors.js';
import type { Store } from '../../ports/store.js';
import { DuplicateMemoryError } from '../../ports/store-errors.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { deleteMemory } from '../removal/delete.js';
import { ingestBatch } from './batch.js';
import { ingest } from './ingest.js';
import { updateMemory } from './update.js';
import { upsert } from './upsert.js';

describe('a write that is based on an outdated read', () => {
  test.each([
    ['ingest', (deps, caller) => ingest(deps, caller, { content: 'known' })],
    ['upsert', (deps, caller) => upsert(deps, caller, { content: 'known', externalKey: 'k' })],
    ['batch', (deps, caller) => ingestBatch(deps, caller, [{ input: { content: 'known' } }], true)],
  ] satisfies [string, (...world: [Deps, Parameters<typeof ingest>[1]]) => Promise<unknown>][])(
    '%s stores and embeds the content if the memory that it repeated was deleted',
    async (_, write) => {
      const { deps, caller } = await testWorld();
      const { memory } = await ingest(deps, caller, { content: 'known' });
      const racing = beforeFirstWrite(deps, () => deleteMemory(deps, caller, memory.id));

      await write(racing, caller);

      expect(deps.embedder.embedded).toEqual(['known', 'known']);
      expect(await deps.store.memories.findById(caller.organizationId, memory.id)).toHaveProperty('deletedAt');
    },
  );

  test('an update embeds the content if another writer changed it meanwhile', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'before' });
    const racing = beforeFirstWrite(deps, () => updateMemory(deps, caller, memory.id, { content: 'between' }));

    const { memory: updated } = await updateMemory(racing, caller, memory.id, { content: 'before' });

    expect(updated.content).toBe('before');
    expect(deps.embedder.embedded).toEqual(['before', 'between', 'before']);
  });
});

describe('a write that the store rejects as a duplicate', () => {
  test('is retried and finds the memory that it repeats', async () => {
    const { deps, caller } = await testWorld();
    const refusing = refuseWrites(deps, 2);

    expect((await ingest(refusing, caller, { content: 'x' })).outcome).toBe('created');
  });

  test('fails after some rounds and asks to try again', async () => {
    const { deps, caller } = await testWorld();

    const refused = ingest(refuseWrites(deps, 100), caller, { content: 'x' });

    await expect(refused).rejects.toThrow(UnavailableError);
  });
});

/** Runs `interfere` before the first transaction. */
function beforeFirstWrite(deps: Deps, interfere: () => Promise<unknown>): Deps {
  let isFirst = true;
  const transact: Store['transact'] = async (organizationId, work) => {
    if (isFirst) {
      isFirst = false;
      await interfere();
    }
    return deps.store.transact(organizationId, work);
  };
  return { ...deps, store: replaceMethods(deps.store, { transact }) };
}

/** Rejects the first `times` writes as a store does if another process keeps writing the same first. */
function refuseWrites(deps: Deps, times: number): Deps {
  let refusals = 0;
  const transact: Store['transact'] = async (organizationId, work) => {
    refusals += 1;
    if (refusals <= times) throw new DuplicateMemoryError('memory exists');
    return deps.store.transact(organizationId, work);
  };
  return { ...deps, store: replaceMethods(deps.store, { transact }) };
}
