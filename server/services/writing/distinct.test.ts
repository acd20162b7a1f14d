import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import type { GivenDedupe } from '../../domain/memory/distinct.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { deleteMemory } from '../removal/delete.js';
import { restoreMemory } from '../removal/restore.js';
import { ingestBatch } from './batch.js';
import { importMemories } from './import.js';
import { ingest } from './ingest.js';
import { updateMemory } from './update.js';
import { upsert } from './upsert.js';

const SAME = { content: 'The same text.', dedupe: 'off' } as const;
const EVERYTHING = { filter: NO_FILTER, includeDeleted: true, order: 'oldest', limit: 100 } as const;

async function aWorld() {
  const world = await testWorld();
  const { deps, caller } = world;
  const put = (externalKey: string, given: { content?: string; dedupe?: GivenDedupe } = { dedupe: 'off' }) =>
    upsert(deps, caller, { externalKey, content: SAME.content, ...given });
  return { ...world, put };
}

describe('a write with dedupe off', () => {
  test('stores equal content under two keys, and recognizes the replay of a key without a new vector', async () => {
    const { deps, put } = await aWorld();

    const [first, second] = [await put('a'), await put('b')];
    const replay = await put('b');

    expect([first.outcome, second.outcome, replay.outcome]).toEqual(['created', 'created', 'deduplicated']);
    expect(second.memory).toMatchObject({ externalKey: 'b', distinct: true });
    expect(replay).toMatchObject({ untouched: true, memory: { id: second.memory.id } });
    expect(deps.embedder.embedded).toHaveLength(2);
  });

  test('stores another memory each time without a key, and recognizes the replay of a key', async () => {
    const { deps, caller } = await aWorld();

    const unkeyed = [await ingest(deps, caller, SAME), await ingest(deps, caller, SAME)];
    const keyed = [1, 2].map(() => ingest(deps, caller, { ...SAME, externalKey: 'k' }));

    expect(unkeyed.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
    expect((await Promise.all(keyed)).map(({ outcome }) => outcome).sort()).toEqual(['created', 'deduplicated']);
  });

  test.each(['The same text.', 'the same text', 'The same texts.'])(
    'neither merges nor is merged with %j',
    async (content) => {
      const { deps, caller } = await aWorld();
      const distinct = await ingest(deps, caller, SAME);

      const ordinary = await ingest(deps, caller, { content });
      const again = await ingest(deps, caller, { content });
      const other = await ingest(deps, caller, SAME);

      expect([ordinary.outcome, again.outcome, other.outcome]).toEqual(['created', 'deduplicated', 'created']);
      expect(ordinary.memory.distinct).toBeUndefined();
      expect(new Set([distinct, ordinary, other].map(({ memory }) => memory.id)).size).toBe(3);
    },
  );

  test('creates one memory for concurrent writes of a key', async () => {
    const { deps, caller, put } = await aWorld();

    await Promise.all(['a', 'b', 'a', 'b', 'a', 'b'].map((key) => put(key)));

    expect(await deps.store.memories.list(caller.organizationId, EVERYTHING)).toHaveLength(2);
  });

  test('makes an existing memory distinct, and dedupe on ends that unless the content is taken', async () => {
    const { deps, caller, put } = await aWorld();
    const first = await put('a', { dedupe: 'on' });
    await expect(put('b', {})).rejects.toMatchObject({ code: 'content_conflict' });

    expect(await put('a')).toMatchObject({ outcome: 'deduplicated', memory: { distinct: true } });
    const second = await put('b', {});
    expect(second).toMatchObject({ outcome: 'created' });
    expect(await put('a', {})).toMatchObject({ untouched: true, memory: { distinct: true } });

    await expect(put('a', { dedupe: 'on' })).rejects.toMatchObject({
      code: 'content_conflict',
      extra: { id: second.memory.id },
    });
    await deleteMemory(deps, caller, second.memory.id);
    const { memory } = await put('a', { dedupe: 'on' });
    expect(memory.id).toBe(first.memory.id);
    expect(memory.distinct).toBeUndefined();
  });

  test('stays in effect through updates, deletion and restoring', async () => {
    const { deps, caller, put } = await aWorld();
    await ingest(deps, caller, { content: SAME.content });
    const { memory } = await put('a', { content: 'Another text.', dedupe: 'off' });

    const updated = await updateMemory(deps, caller, memory.id, { content: SAME.content });
    await deleteMemory(deps, caller, memory.id);
    const restored = await restoreMemory(deps, caller, memory.id);
    const replaced = await put('a', { content: 'A third text.' });

    expect(updated.memory.distinct).toBe(true);
    expect(restored).toMatchObject({ id: memory.id, content: SAME.content, distinct: true });
    expect(replaced).toMatchObject({ outcome: 'updated', memory: { distinct: true } });
  });

  test('works for each item of a batch', async () => {
    const { deps, caller } = await aWorld();
    const inputs = [
      SAME,
      { content: SAME.content },
      SAME,
      { ...SAME, externalKey: 'a' },
      { ...SAME, externalKey: 'b' },
    ];

    const results = await ingestBatch(
      deps,
      caller,
      inputs.map((input) => ({ input })),
      true,
    );

    expect(results.map((result) => 'written' in result && result.written.outcome)).toEqual(inputs.map(() => 'created'));
  });
});

describe('an import of a distinct memory', () => {
  test('stores it beside equal contents, and recognizes it by its key', async () => {
    const { deps, caller } = await aWorld();
    const line = { content: SAME.content, distinct: true } as const;
    await ingest(deps, caller, { content: SAME.content });
    const items = [{ ...line, externalKey: 'a' }, { ...line, externalKey: 'b' }, line].map((input) => ({ input }));

    const [first, again] = [await importMemories(deps, caller, items), await importMemories(deps, caller, items)];

    const wordOf = (results: typeof first) => results.map((result) => 'outcome' in result && result.outcome);
    expect(wordOf(first)).toEqual(['created', 'created', 'created']);
    expect(wordOf(again)).toEqual(['present', 'present', 'created']);
  });
});
