import { describe, expect, test } from 'vitest';
import { testWorld } from '../../testing/app/test-deps.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { ingest } from '../memories/ingest.js';
import { search } from '../memories/search.js';
import { updateMemory } from '../memories/update.js';
import { organizationsEmbeddedOtherwise, reembed } from './reembed.js';

const ASK = {
  query: 'abcd',
  limit: 1,
  mode: 'vector',
  includeDeleted: false,
  recencyWeight: 0,
  recencyHalflifeDays: 30,
  exact: false,
  explain: false,
  diversity: 0,
} as const;

describe('reembed', () => {
  test('makes search and writes work again after the embedder changed, and changes nothing else', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'abcd' });
    for (let n = 0; n < 100; n++) await ingest(deps, caller, { content: `number ${n}` });
    const changed = { ...deps, embedder: new LetterEmbedder('letters|v2|64') };
    expect(await organizationsEmbeddedOtherwise(changed)).toEqual([
      { organizationId: caller.organizationId, fingerprint: 'letters|v1|64', isServed: false },
    ]);
    await expect(search(changed, caller, ASK)).rejects.toMatchObject({ status: 503 });

    const done = await reembed(changed, caller.organizationId);

    expect(done).toBe(101);
    expect(await organizationsEmbeddedOtherwise(changed)).toEqual([]);
    expect((await search(changed, caller, ASK)).matches[0]?.memory).toEqual(memory);
    expect((await ingest(changed, caller, { content: 'zzz' })).outcome).toBe('created');
  });

  test('is optional while the service has the former embedder of an earlier release', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'abcd' });
    const embedder = Object.assign(new LetterEmbedder('letters|v2|64'), { former: [deps.embedder] });
    const changed = { ...deps, embedder };

    expect(await organizationsEmbeddedOtherwise(changed)).toMatchObject([{ isServed: true }]);
    expect((await search(changed, caller, ASK)).matches[0]?.memory).toEqual(memory);
    await ingest(changed, caller, { content: 'efgh' });
    await updateMemory(changed, caller, memory.id, { content: 'ijkl' });
    // All of the vectors are still of the earlier embedder.
    expect((await search(deps, caller, { ...ASK, limit: 5 })).matches).toHaveLength(2);

    expect(await reembed(changed, caller.organizationId)).toBe(2);

    expect(await organizationsEmbeddedOtherwise(changed)).toEqual([]);
    await expect(search(deps, caller, ASK)).rejects.toMatchObject({ status: 503 });
    expect((await search(changed, caller, { ...ASK, query: 'ijkl' })).matches[0]?.memory.content).toBe('ijkl');
  });

  test('rebuilds vectors that a service with the former embedder writes meanwhile', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'abcd' });
    const embedder = new LetterEmbedder('letters|v2|64');
    const [changing, storing] = [
      once(() => updateMemory(deps, caller, memory.id, { content: 'mnop' })),
      once(() => ingest(deps, caller, { content: 'wxyz' })),
    ];
    const embed: typeof embedder.embed = async (...given) => {
      await changing();
      return embedder.embed(...given);
    };
    const { memories } = deps.store;
    const findEmbeddedOtherwise: typeof memories.findEmbeddedOtherwise = async (...given) => {
      const found = await memories.findEmbeddedOtherwise(...given);
      if (found.length === 0) await storing();
      return found;
    };
    const changed = {
      ...deps,
      embedder: replaceMethods(embedder, { embed }),
      store: replaceMethods(deps.store, { memories: replaceMethods(memories, { findEmbeddedOtherwise }) }),
    };

    await reembed(changed, caller.organizationId);

    for (const content of ['mnop', 'wxyz']) {
      const { matches } = await search({ ...deps, embedder }, caller, { ...ASK, query: content });
      expect(matches[0]).toMatchObject({ memory: { content }, similarity: expect.closeTo(1) });
    }
  });

  test('resumes an interrupted run', async () => {
    const { deps, caller } = await testWorld();
    for (let n = 0; n < 100; n++) await ingest(deps, caller, { content: `number ${n}` });
    const embedder = new LetterEmbedder('letters|v2|64');
    const changed = { ...deps, embedder };
    await expect(
      reembed(changed, caller.organizationId, () => {
        embedder.down = true;
      }),
    ).rejects.toThrow();
    embedder.down = false;

    await reembed(changed, caller.organizationId);

    expect(embedder.embedded).toHaveLength(100);
  });
});

function once(work: () => Promise<unknown>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await work();
  };
}
