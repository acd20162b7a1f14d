import { describe, expect, test } from 'vitest';
import type { Caller } from '../../domain/account/caller.js';
import { type Embedder, EmbeddingUnavailableError } from '../../ports/embedder.js';
import { type TestWorld, testWorld } from '../../testing/app/test-deps.js';
import { ChunkEmbedder } from '../../testing/fixtures/chunk-embedder.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { PLAIN_SEARCH } from '../../testing/fixtures/plain-search.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { search, similarTo } from '../reading/search.js';
import { deleteMemory } from '../removal/delete.js';
import { ingestBatch } from '../writing/batch.js';
import { ingest } from '../writing/ingest.js';
import { updateMemory } from '../writing/update.js';
import { beginReembedding, goOnReembedding, organizationsEmbeddedOtherwise, reembed } from './reembed.js';

const ASK = { ...PLAIN_SEARCH, query: 'abcd', limit: 1 };
const FORMER = 'letters|v1|64';
const NEXT = 'letters|v2|64';

type Deps = TestWorld['deps'];

/** Returns the dependencies of a service with another embedder, which has the former one too. */
function movedOn(deps: Deps): Deps {
  const former = deps.embedder;
  const formerOf = (fingerprint: string) => (fingerprint === former.fingerprint ? former : undefined);
  return { ...deps, embedder: Object.assign(new LetterEmbedder(NEXT), { formerOf }) };
}

async function settingsOf({ store }: Deps, { organizationId }: Caller) {
  const { embeddingFingerprint, pendingFingerprint, formerFingerprint } = (await store.accounts.settings(
    organizationId,
  ))!;
  return [embeddingFingerprint, pendingFingerprint, formerFingerprint];
}

async function nearest(deps: Deps, caller: Caller, query: string): Promise<string | undefined> {
  return (await search(deps, caller, { ...ASK, query })).matches[0]?.memory.content;
}

describe('reembed', () => {
  test('makes search and writes work again after the embedder changed, and changes nothing else', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'abcd' });
    for (let n = 0; n < 100; n++) await ingest(deps, caller, { content: `number ${n}` });
    const changed = { ...deps, embedder: new LetterEmbedder(NEXT) };
    expect(await organizationsEmbeddedOtherwise(changed)).toEqual([
      { organizationId: caller.organizationId, fingerprint: FORMER, isServed: false, pending: undefined },
    ]);
    await expect(search(changed, caller, ASK)).rejects.toMatchObject({ status: 503 });

    const done = await reembed(changed, caller.organizationId);

    expect(done).toBe(101);
    expect(await organizationsEmbeddedOtherwise(changed)).toEqual([]);
    expect(await settingsOf(changed, caller)).toEqual([NEXT, undefined, undefined]);
    expect((await search(changed, caller, ASK)).matches[0]?.memory).toEqual(memory);
    expect((await ingest(changed, caller, { content: 'zzz' })).outcome).toBe('created');
    await expect(search(deps, caller, ASK)).rejects.toMatchObject({ status: 503 });
  });

  test('embeds the chunks of a document together, without the deleted ones, if the model can', async () => {
    const { deps, caller } = await testWorld();
    const chunk = (content: string, chunkIndex: number) => ({
      input: { content, metadata: { documentId: 'd', chunkIndex, chunkTotal: 3 } },
    });
    const batch = [chunk('ccc', 2), chunk('aaa', 0), chunk('bbb', 1), { input: { content: 'eee' } }];
    await ingestBatch(deps, caller, batch, true);
    const { matches } = await search(deps, caller, { ...ASK, query: 'bbb' });
    await deleteMemory(deps, caller, matches[0]!.memory.id);
    const embedder = new ChunkEmbedder(NEXT);

    expect(await reembed({ ...deps, embedder }, caller.organizationId)).toBe(4);

    expect(embedder.documents).toEqual([['aaa', 'ccc'], ['bbb'], ['eee']]);
    const found = await search({ ...deps, embedder }, caller, { ...ASK, query: 'aaa ccc' });
    expect(found.matches[0]?.similarity).toBeCloseTo(1, 5);
  });

  test('is optional while the service has the former embedder', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'abcd' });
    const changed = movedOn(deps);

    expect(await organizationsEmbeddedOtherwise(changed)).toMatchObject([{ isServed: true }]);
    expect((await search(changed, caller, ASK)).matches[0]?.memory).toEqual(memory);
    await ingest(changed, caller, { content: 'efgh' });
    await updateMemory(changed, caller, memory.id, { content: 'ijkl' });

    // All of the vectors are still of the former embedder.
    expect((await search(deps, caller, { ...ASK, limit: 5 })).matches).toHaveLength(2);
    expect(changed.embedder.embedded).toEqual([]);
  });

  test('answers from the former vectors until the new are complete, and stores both meanwhile', async () => {
    const { deps, caller } = await testWorld();
    const { organizationId } = caller;
    const { memory: changing } = await ingest(deps, caller, { content: 'abcd' });
    for (let n = 0; n < 100; n++) await ingest(deps, caller, { content: `number ${n}` });
    const changed = movedOn(deps);
    await beginReembedding(changed, organizationId);
    deps.embedder.embedded.length = 0;

    await ingest(changed, caller, { content: 'mnop' });
    await ingestBatch(changed, caller, [{ input: { content: 'qrst' } }], false);
    await updateMemory(changed, caller, changing.id, { content: 'wxyz' });

    expect(await settingsOf(changed, caller)).toEqual([FORMER, NEXT, undefined]);
    expect(changed.embedder.embedded).toEqual(['mnop', 'qrst', 'wxyz']);
    expect(deps.embedder.embedded).toEqual(['mnop', 'qrst', 'wxyz']);
    for (const content of ['mnop', 'qrst', 'wxyz', 'number 7']) {
      expect(await nearest(changed, caller, content)).toBe(content);
    }
    expect(await reembed(changed, organizationId)).toBe(100);
    for (const content of ['mnop', 'qrst', 'wxyz', 'number 7']) {
      expect(await nearest(changed, caller, content)).toBe(content);
    }
    expect(await settingsOf(changed, caller)).toEqual([NEXT, undefined, undefined]);
  });

  test('pauses after each page and each deletion, so that callers are served between them', async () => {
    const { deps, caller } = await testWorld();
    const { organizationId } = caller;
    for (let n = 0; n < 150; n++) await ingest(deps, caller, { content: `number ${n}` });
    const changed = movedOn(deps);
    await beginReembedding(changed, organizationId);
    const events: string[] = [];
    const { embedder } = changed;
    const embed = embedder.embed.bind(embedder);
    embedder.embed = (texts: readonly string[]) => {
      events.push(`page of ${texts.length}`);
      return embed(texts, 'document');
    };
    const pause = async (workMs: number) => {
      events.push(workMs > 0 ? 'pause' : 'no work');
      expect(await nearest(changed, caller, 'number 7')).toBe('number 7');
    };

    await goOnReembedding(changed, organizationId, undefined, pause);
    await goOnReembedding(changed, organizationId, undefined, pause);

    const pages = events.filter((event) => event !== 'page of 1');
    expect(pages).toEqual(['page of 64', 'pause', 'page of 64', 'pause', 'page of 22', 'pause', 'pause']);
    expect(await settingsOf(changed, caller)).toEqual([NEXT, undefined, undefined]);
  });

  test('makes the vectors later that a write could not make or a service without the new embedder wrote', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'abcd' });
    const changed = movedOn(deps);
    await beginReembedding(changed, caller.organizationId);
    await goOnReembedding(changed, caller.organizationId, memory.createdAt);
    changed.embedder.down = true;

    await ingest(changed, caller, { content: 'mnop' });
    await updateMemory(deps, caller, memory.id, { content: 'wxyz' });

    await expect(reembed(changed, caller.organizationId)).rejects.toThrow(EmbeddingUnavailableError);
    expect(await nearest(changed, caller, 'mnop')).toBe('mnop');
    changed.embedder.down = false;
    expect(await reembed(changed, caller.organizationId)).toBe(2);
    for (const content of ['mnop', 'wxyz']) expect(await nearest(changed, caller, content)).toBe(content);
  });

  test('loses neither a search nor a write that the switch overtakes', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'abcd' });
    await ingest(deps, caller, { content: 'abce' });
    const former = deps.embedder;
    const slow = replaceMethods<Embedder>(former, {
      embed: async (texts) => {
        const vectors = await former.embed(texts);
        await reembed(changed, caller.organizationId);
        return vectors;
      },
    });
    const formerOf = (fingerprint: string) => (fingerprint === FORMER ? slow : undefined);
    const changed: Deps = { ...deps, embedder: Object.assign(new LetterEmbedder(NEXT), { formerOf }) };

    const { outcome } = await ingest(changed, caller, { content: 'mnop' });

    expect(outcome).toBe('created');
    expect(await settingsOf(changed, caller)).toEqual([NEXT, undefined, undefined]);
    expect(await nearest(changed, caller, 'mnop')).toBe('mnop');
    await reembed(deps, caller.organizationId);
    for (const mode of ['vector', 'hybrid'] as const) {
      expect((await search(changed, caller, { ...ASK, mode })).matches[0]?.memory).toEqual(memory);
      await reembed(deps, caller.organizationId);
    }
    const { memories } = deps.store;
    const findVectors: typeof memories.findVectors = async (...given) => {
      await reembed(changed, caller.organizationId);
      return memories.findVectors(...given);
    };
    const overtaken = {
      ...changed,
      store: replaceMethods(deps.store, { memories: replaceMethods(memories, { findVectors }) }),
    };
    const near = await similarTo(overtaken, caller, memory.id, {
      filter: { metadata: [] },
      includeDeleted: false,
      limit: 1,
    });
    expect(near[0]?.memory.content).toBe('abce');
  });

  test('resumes an interrupted run', async () => {
    const { deps, caller } = await testWorld();
    for (let n = 0; n < 2_000; n += 50) {
      const items = Array.from({ length: 50 }, (_, at) => ({ input: { content: `number ${n + at}` } }));
      await ingestBatch(deps, caller, items, false);
    }
    const changed = movedOn(deps);
    const { embedder } = changed;
    await expect(
      reembed(changed, caller.organizationId, () => {
        embedder.down = true;
      }),
    ).rejects.toThrow();
    embedder.down = false;

    await reembed(changed, caller.organizationId);

    expect(embedder.embedded).toHaveLength(2_000);
    expect(await settingsOf(changed, caller)).toEqual([NEXT, undefined, undefined]);
  });

  test('is canceled by the former configuration, and can be begun again', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'abcd' });
    const changed = movedOn(deps);
    await beginReembedding(changed, caller.organizationId);
    await ingest(changed, caller, { content: 'mnop' });

    await beginReembedding(deps, caller.organizationId);

    expect(await settingsOf(deps, caller)).toEqual([FORMER, undefined, NEXT]);
    expect(await goOnReembedding(changed, caller.organizationId)).toEqual({ made: 0, retryAfterMs: undefined });
    expect(await settingsOf(deps, caller)).toEqual([FORMER, undefined, undefined]);
    expect(await nearest(deps, caller, 'mnop')).toBe('mnop');
    expect(await reembed(changed, caller.organizationId)).toBe(2);
    expect(await nearest(changed, caller, 'mnop')).toBe('mnop');
  });

  test('replaces a pending embedder by a third one, after the vectors of the second are deleted', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'abcd' });
    const second = movedOn(deps);
    await beginReembedding(second, caller.organizationId);
    await ingest(second, caller, { content: 'mnop' });
    const third: Deps = {
      ...deps,
      embedder: Object.assign(new LetterEmbedder('letters|v3|64'), { formerOf: () => deps.embedder }),
    };

    await beginReembedding(third, caller.organizationId);

    expect(await settingsOf(third, caller)).toEqual([FORMER, 'letters|v3|64', NEXT]);
    expect(await nearest(third, caller, 'mnop')).toBe('mnop');
    expect(await reembed(third, caller.organizationId)).toBe(2);
    expect(await settingsOf(third, caller)).toEqual(['letters|v3|64', undefined, undefined]);
    expect(await nearest(third, caller, 'mnop')).toBe('mnop');
  });

  test('waits for a process with the pending embedder', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'abcd' });
    await beginReembedding(movedOn(deps), caller.organizationId);

    expect(await goOnReembedding(deps, caller.organizationId)).toEqual({ made: 0, retryAfterMs: 60_000 });
  });
});
