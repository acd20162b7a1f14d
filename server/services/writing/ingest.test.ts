import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { readContent } from '../../domain/retrieval/read-content.js';
import { ConflictError, UnavailableError, UnprocessableError } from '../../errors.js';
import { EmbeddingUnavailableError } from '../../ports/embedder.js';
import type { TextRow } from '../../ports/text-work.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { PLAIN_SEARCH } from '../../testing/fixtures/plain-search.js';
import { updateSettings } from '../organization/settings.js';
import { search } from '../reading/search.js';
import { deleteMemory } from '../removal/delete.js';
import { indexContent } from './draft.js';
import { ingest } from './ingest.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };

describe('ingest', () => {
  test('stores new content with the outcome created', async () => {
    const { deps, caller } = await testWorld();

    const { memory, outcome, dedupe } = await ingest(deps, caller, { content: 'Deploys run on Fridays.' });

    expect({ outcome, dedupe }).toEqual({ outcome: 'created', dedupe: undefined });
    expect(await deps.store.memories.findById(caller.organizationId, memory.id)).toEqual(memory);
  });

  test('merges an exact replay into the first memory, and its metadata one level deep', async () => {
    const { deps, caller } = await testWorld();
    const first = await ingest(deps, caller, { content: 'same', metadata: { a: { x: 1 }, b: 1 } });

    const replay = await ingest(deps, caller, { content: 'same', metadata: { a: { y: 2 } } });

    expect(replay).toMatchObject({ outcome: 'deduplicated', dedupe: 'exact' });
    expect(replay.memory.id).toBe(first.memory.id);
    expect(replay.memory.metadata).toEqual({ a: { y: 2 }, b: 1 });
    expect(replay.memory.updatedAt).toBeGreaterThan(first.memory.updatedAt);
  });

  test('adds the external key and scope of a replay to a memory without a key', async () => {
    const { deps, caller } = await testWorld();
    const first = await ingest(deps, caller, { content: 'same', metadata: { a: 1 } });
    const key = { externalKey: 'k', scope: { source: 's' } };

    const keyed = await ingest(deps, caller, { content: 'same', ...key });

    expect(keyed).toMatchObject({ outcome: 'deduplicated', dedupe: 'exact' });
    expect(keyed.memory).toMatchObject({
      id: first.memory.id,
      externalKey: 'k',
      scope: { source: 's' },
      metadata: { a: 1 },
    });
    expect(keyed.memory.updatedAt).toBeGreaterThan(first.memory.updatedAt);
    expect(await deps.store.memories.findById(caller.organizationId, first.memory.id)).toEqual(keyed.memory);
    expect((await ingest(deps, caller, { content: 'same', ...key })).memory).toEqual(keyed.memory);
  });

  test('rejects another external key for content that already has one', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'same', externalKey: 'one' });

    const other = ingest(deps, caller, { content: 'same', externalKey: 'other' });

    await expect(other).rejects.toMatchObject({ code: 'content_conflict', extra: { id: memory.id } });
  });

  test('leaves a memory unchanged if a replay adds nothing', async () => {
    const { deps, caller } = await testWorld();
    const first = await ingest(deps, caller, { content: 'same', metadata: { a: [1, { b: 2 }] } });

    const replay = await ingest(deps, caller, { content: 'same', metadata: { a: [1, { b: 2 }] } });

    expect(replay.memory).toEqual(first.memory);
  });

  test('treats two encodings of one character as equal content', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'caf\u00e9' });

    const decomposed = await ingest(deps, caller, { content: 'cafe\u0301' });

    expect(decomposed.outcome).toBe('deduplicated');
    expect(decomposed.memory.content).toBe('caf\u00e9');
  });

  test.each([
    ['folds alike', 'Deploys run on fridays.', 'exact'],
    ['has the same words', 'The deploys run on Fridays', 'semantic'],
  ] as const)('merges what %s into a memory that an earlier release stored', async (_, content, dedupe) => {
    const { deps, caller } = await testWorld({ embedder: new LetterEmbedder(undefined, 0.5) });
    const { memory } = await ingest(deps, caller, { content: 'Deploys run on Fridays' });
    const read = readContent(memory.content, true);
    const [embedding = new Float32Array()] = await deps.embedder.embed([memory.content], 'document');
    await deps.store.transact(caller.organizationId, async (unit) => {
      const indexed = indexContent(read, { embedding, fingerprint: deps.embedder.fingerprint });
      await unit.update(memory, { ...indexed, wordsHash: read.formerWordsHash ?? '', foldHash: 'of then' });
      const { wordsVersion: _, ...settings } = await unit.settings();
      await unit.saveSettings(settings);
    });

    const near = await ingest(deps, caller, { content });

    expect(near).toMatchObject({ outcome: 'merged_metadata', dedupe, memory: { id: memory.id } });
  });

  test('looks for the words of earlier releases only if one of them stored the first vector', async () => {
    const { deps: world, caller } = await testWorld();
    const withFormer: (boolean | undefined)[] = [];
    const row = (tenant: string | undefined): TextRow => {
      const own = world.texts.row(tenant);
      return {
        normalize: (content, max) => own.normalize(content, max),
        scan: (texts) => own.scan(texts),
        embed: (text, purpose, model) => own.embed(text, purpose, model),
        read: (content, former) => {
          withFormer.push(former);
          return own.read(content, former);
        },
      };
    };
    const deps = { ...world, texts: { row } };
    await ingest(deps, caller, { content: 'first' });
    await ingest(deps, caller, { content: 'second' });
    await deps.store.transact(caller.organizationId, async (unit) => {
      const { wordsVersion: _, ...settings } = await unit.settings();
      await unit.saveSettings(settings);
    });

    await ingest(deps, caller, { content: 'third' });

    expect(withFormer).toEqual([false, false, true]);
  });

  test.each([
    ['Ask the US team', 'Ask the us team'],
    ["Let's eat, grandma", "Let's eat grandma"],
  ])('keeps %j and %j apart', async (one, other) => {
    const { deps, caller } = await testWorld({ embedder: new LetterEmbedder(undefined, 0) });
    await ingest(deps, caller, { content: one });

    expect((await ingest(deps, caller, { content: other })).outcome).toBe('created');
  });

  test('merges content that differs only in case, white space or punctuation, and keeps the first wording', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'Hello, World!' });

    const near = await ingest(deps, caller, { content: 'hello   world', metadata: { seen: 2 } });

    expect(near).toMatchObject({ outcome: 'merged_metadata', dedupe: 'exact' });
    expect(near.memory).toMatchObject({ content: 'Hello, World!', metadata: { seen: 2 } });
  });

  test('merges a near-duplicate by meaning without replacing its content', async () => {
    const { deps, caller } = await testWorld();
    const first = await ingest(deps, caller, { content: 'The deploy runs on Fridays' });

    const near = await ingest(deps, caller, { content: 'The deploys run on Fridays.', metadata: { seen: 2 } });

    expect(near).toMatchObject({ outcome: 'merged_metadata', dedupe: 'semantic' });
    expect(near.memory).toMatchObject({ id: first.memory.id, content: 'The deploy runs on Fridays' });
  });

  test('keeps facts with different numbers apart, however close their vectors are', async () => {
    const { deps, caller } = await testWorld({ embedder: new LetterEmbedder('same|v1|64', 0.5) });
    await ingest(deps, caller, { content: 'Meet the team at 3pm' });

    const other = await ingest(deps, caller, { content: 'Meet the team at 4pm' });

    expect(other.outcome).toBe('created');
  });

  test.each(['The deploys run on Fridays.', 'the deploy runs on fridays!'])(
    'keeps two chunks with nearly equal content apart: %s',
    async (content) => {
      const { deps, caller } = await testWorld();
      const chunk = (chunkIndex: number) => ({ documentId: 'handbook', chunkIndex, chunkTotal: 2 });
      await ingest(deps, caller, { content: 'The deploy runs on Fridays', metadata: chunk(0) });

      const second = await ingest(deps, caller, { content, metadata: chunk(1) });

      expect(second.outcome).toBe('created');
    },
  );

  test('stores equal content as two chunks, and treats the same chunk as a replay', async () => {
    const { deps, caller } = await testWorld();
    const content = 'All rights reserved.';
    const store = (documentId: string, chunkIndex: number, chunkTotal = 2) =>
      ingest(deps, caller, { content, metadata: { documentId, chunkIndex, chunkTotal, by: documentId } });
    const plain = await ingest(deps, caller, { content });

    const chunks = [await store('a', 0), await store('a', 1), await store('b', 0), await store('b', 1)];
    const again = await store('a', 1, 3);

    expect(chunks.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created', 'created']);
    expect(again).toMatchObject({ outcome: 'deduplicated', dedupe: 'exact', memory: { id: chunks[1]?.memory.id } });
    expect(again.memory.metadata).toEqual({ documentId: 'a', chunkIndex: 1, chunkTotal: 3, by: 'a' });
    expect((await ingest(deps, caller, { content })).memory.id).toBe(plain.memory.id);
  });

  test('stores one of many equal chunks, and all that differ in their place', async () => {
    const { deps, caller } = await testWorld();
    const chunk = (n: number) => ({ documentId: 'a', chunkIndex: n % 4, chunkTotal: 4 });

    const written = await Promise.all(
      Array.from({ length: 16 }, (_, n) => ingest(deps, caller, { content: 'Same.', metadata: chunk(n) })),
    );

    expect(written.filter(({ outcome }) => outcome === 'created')).toHaveLength(4);
    expect(new Set(written.map(({ memory }) => memory.id)).size).toBe(4);
  });

  test('rejects a replay by key that would make its memory a chunk that already exists', async () => {
    const { deps, caller } = await testWorld();
    const chunk = { documentId: 'a', chunkIndex: 0, chunkTotal: 1 };
    const { memory } = await ingest(deps, caller, { content: 'Same.', metadata: chunk });
    await ingest(deps, caller, { content: 'Same.', externalKey: 'k' });

    const moved = ingest(deps, caller, { content: 'Same.', externalKey: 'k', metadata: chunk });

    await expect(moved).rejects.toMatchObject({ code: 'content_conflict', extra: { id: memory.id } });
  });

  test('does not merge by meaning if an owner disabled it', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { semanticDedupe: false });
    await ingest(deps, caller, { content: 'The deploy runs on Fridays' });

    const near = await ingest(deps, caller, { content: 'The deploys run on Fridays.' });

    expect(near.outcome).toBe('created');
  });

  test('never merges across subjects: the same sentence about two people is two memories', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'string' });
    await ingest(deps, caller, { content: 'Likes tea.' });

    const outcomes = [
      await ingest(deps, caller, { content: 'Likes tea.', subjectKey: 'ana' }),
      await ingest(deps, caller, { content: 'likes tea', subjectKey: 'bo' }),
      await ingest(deps, caller, { content: 'Likes tea.', subjectKey: 'ana' }),
    ].map(({ outcome }) => outcome);

    expect(outcomes).toEqual(['created', 'created', 'deduplicated']);
  });

  test('never merges across organizations', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    await ingest(deps, caller, { content: 'Likes tea.' });

    expect((await ingest(deps, other, { content: 'Likes tea.' })).outcome).toBe('created');
  });

  test('stores content again if only a deleted memory has it', async () => {
    const { deps, caller } = await testWorld();
    const first = await ingest(deps, caller, { content: 'Likes tea.' });
    await deleteMemory(deps, caller, first.memory.id);

    const again = await ingest(deps, caller, { content: 'Likes tea.' });

    expect(again.outcome).toBe('created');
    expect(again.memory.id).not.toBe(first.memory.id);
  });

  test('rejects other content for a known key, and names the memory', async () => {
    const { deps, caller } = await testWorld();
    const keyed = { externalKey: 'k', scope: { source: 'wiki' } };
    const first = await ingest(deps, caller, { content: 'one', ...keyed });

    const conflict = ingest(deps, caller, { content: 'two', ...keyed });

    await expect(conflict).rejects.toThrow(ConflictError);
    await expect(conflict).rejects.toMatchObject({
      code: 'external_key_conflict',
      extra: { id: first.memory.id },
    });
    expect((await ingest(deps, caller, { content: 'one', ...keyed })).outcome).toBe('deduplicated');
    expect((await ingest(deps, caller, { content: 'two', externalKey: 'k' })).outcome).toBe('created');
  });

  test('stores 32 equal parallel ingests as one memory', async () => {
    const { deps, caller } = await testWorld();

    const written = await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        ingest(deps, caller, { content: 'all at once', metadata: { [`m${n}`]: n } }),
      ),
    );

    const outcomes = written.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['created', ...Array.from({ length: 31 }, () => 'deduplicated')]);
    expect(new Set(written.map(({ memory }) => memory.id)).size).toBe(1);
    const [stored, ...others] = await deps.store.memories.list(caller.organizationId, {
      ...EVERYTHING,
      order: 'oldest',
      limit: 10,
    });
    expect(others).toEqual([]);
    expect(Object.keys(stored?.metadata ?? {})).toHaveLength(32);
  });

  test('makes a memory searchable immediately', async () => {
    const { deps, caller } = await testWorld();

    for (let n = 0; n < 20; n++) {
      const { memory } = await ingest(deps, caller, { content: `unique thought ${'x'.repeat(n)}${n}` });
      const {
        matches: [best],
      } = await search(deps, caller, { ...PLAIN_SEARCH, query: memory.content, limit: 1 });
      expect(best?.memory.id).toBe(memory.id);
    }
  });

  test('stores and counts nothing while content cannot be embedded, but accepts replays', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'known' });
    deps.embedder.down = true;

    await expect(ingest(deps, caller, { content: 'new' })).rejects.toThrow(EmbeddingUnavailableError);

    expect((await ingest(deps, caller, { content: 'known', metadata: { a: 1 } })).outcome).toBe('deduplicated');
    const stored = await deps.store.memories.list(caller.organizationId, { ...EVERYTHING, order: 'oldest', limit: 10 });
    expect(stored.map(({ content }) => content)).toEqual(['known']);
    expect(await usage(deps)).toMatchObject({ ingest: 1 });
    async function usage({ store }: typeof deps) {
      return store.usage.read(caller.organizationId, new Date().toISOString().slice(0, 7));
    }
  });

  test('rejects content while the stored vectors are of another embedder', async () => {
    const { deps, caller } = await testWorld();
    await ingest(deps, caller, { content: 'old' });
    const changed = { ...deps, embedder: new LetterEmbedder('letters|v2|64') };

    const refused = ingest(changed, caller, { content: 'new' });

    await expect(refused).rejects.toThrow(UnavailableError);
    await expect(refused).rejects.toThrow(/letters\|v1\|64.*letters\|v2\|64.*reembed/);
  });

  test('counts code points, not bytes, against the limit', async () => {
    const { deps, caller } = await testWorld();
    const capped = { ...deps, limits: { ...deps.limits, contentLength: 3 } };

    await expect(ingest(capped, caller, { content: '😀😀😀' })).resolves.toBeDefined();
    await expect(ingest(capped, caller, { content: '😀😀😀😀' })).rejects.toThrow(UnprocessableError);
  });

  test('rejects a subject key until its type is configured', async () => {
    const { deps, caller } = await testWorld();

    const refused = ingest(deps, caller, { content: 'x', subjectKey: 1 });

    await expect(refused).rejects.toMatchObject({ status: 422, code: 'subject_key_invalid' });
  });
});
