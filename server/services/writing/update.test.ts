import { describe, expect, test } from 'vitest';
import { ConflictError, NotFoundError, UnprocessableError } from '../../errors.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { updateSettings } from '../organization/settings.js';
import { deleteMemory } from '../removal/delete.js';
import { ingest } from './ingest.js';
import { updateMemory } from './update.js';

describe('updateMemory', () => {
  test('replaces content and its vector', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'before' });

    const updated = await updateMemory(deps, caller, memory.id, { content: 'after' });

    expect(updated).toMatchObject({ outcome: 'updated', memory: { id: memory.id, content: 'after' } });
    expect(deps.embedder.embedded).toEqual(['before', 'after']);
  });

  test('merges metadata by default, and replaces it with metadataReplace', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x', metadata: { a: 1, b: { c: 1 } } });

    const merged = await updateMemory(deps, caller, memory.id, { metadata: { b: null } });
    const replaced = await updateMemory(deps, caller, memory.id, { metadata: { z: 1 }, metadataReplace: true });

    expect(merged.memory.metadata).toEqual({ a: 1, b: null });
    expect(replaced.memory.metadata).toEqual({ z: 1 });
  });

  test('keeps the keys of 64 parallel metadata updates', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });

    await Promise.all(
      Array.from({ length: 64 }, (_, n) => updateMemory(deps, caller, memory.id, { metadata: { [`k${n}`]: n } })),
    );

    const stored = await deps.store.memories.findById(caller.organizationId, memory.id);
    expect(Object.keys(stored?.metadata ?? {})).toHaveLength(64);
  });

  test('leaves the memory untouched if nothing changes', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x', metadata: { a: 1, b: { c: 1 } } });

    for (const input of [
      { content: 'x' },
      { metadata: { a: 1 } },
      { metadata: memory.metadata, metadataReplace: true },
    ]) {
      const updated = await updateMemory(deps, caller, memory.id, input);
      expect(updated).toMatchObject({ outcome: 'updated', memory });
    }

    expect(await deps.store.memories.findById(caller.organizationId, memory.id)).toEqual(memory);
  });

  test('embeds nothing for new metadata or unchanged content', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });
    deps.embedder.down = true;

    const updated = await updateMemory(deps, caller, memory.id, { content: 'x', metadata: { a: 1 } });

    expect(updated.memory.metadata).toEqual({ a: 1 });
  });

  test('rejects metadata that makes it a chunk that another memory with this content already is', async () => {
    const { deps, caller } = await testWorld();
    const chunk = { documentId: 'd', chunkIndex: 0, chunkTotal: 1 };
    const [plain, other] = [
      await ingest(deps, caller, { content: 'x' }),
      await ingest(deps, caller, { content: 'x', metadata: chunk }),
    ];

    await expect(updateMemory(deps, caller, plain.memory.id, { metadata: chunk })).rejects.toMatchObject({
      code: 'content_conflict',
      extra: { id: other.memory.id },
    });
    const outOf = updateMemory(deps, caller, other.memory.id, { metadata: {}, metadataReplace: true });
    await expect(outOf).rejects.toMatchObject({ code: 'content_conflict', extra: { id: plain.memory.id } });
  });

  test.each([
    ['nothing', {}],
    ['only metadataReplace', { metadataReplace: true }],
    ['blank content', { content: '  ' }],
    ['half of a chunk', { metadata: { chunkIndex: 1 } }],
  ])('rejects %s', async (_, input) => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });

    await expect(updateMemory(deps, caller, memory.id, input)).rejects.toThrow(UnprocessableError);
  });

  test('rejects content that another memory has', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });
    await ingest(deps, caller, { content: 'taken' });

    await expect(updateMemory(deps, caller, memory.id, { content: 'taken' })).rejects.toThrow(ConflictError);
  });

  test('rejects a move to a subject that already has this content', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'integer' });
    await ingest(deps, caller, { content: 'x', subjectKey: 1 });
    const { memory } = await ingest(deps, caller, { content: 'x', subjectKey: 2 });

    await expect(updateMemory(deps, caller, memory.id, { subjectKey: 1 })).rejects.toThrow(ConflictError);
  });

  test('throws NotFoundError for foreign, deleted, unknown and malformed ids', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    const foreign = await ingest(deps, other, { content: 'theirs' });
    const deleted = await ingest(deps, caller, { content: 'gone' });
    await deleteMemory(deps, caller, deleted.memory.id);

    const ids = [foreign.memory.id, deleted.memory.id, deps.newId(), 'no-uuid', "' OR 1=1 --"];

    for (const id of ids) {
      await expect(updateMemory(deps, caller, id, { metadata: { a: 1 } })).rejects.toThrow(NotFoundError);
      await expect(deleteMemory(deps, caller, id)).rejects.toThrow(NotFoundError);
    }
  });
});

describe('deleteMemory', () => {
  test('marks the memory deleted once, at a tick of the organization', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'x' });

    await deleteMemory(deps, caller, memory.id);

    const stored = await deps.store.memories.findById(caller.organizationId, memory.id);
    expect(stored?.deletedAt).toBeGreaterThan(memory.updatedAt);
    expect(stored?.updatedAt).toBe(stored?.deletedAt);
    await expect(deleteMemory(deps, caller, memory.id)).rejects.toThrow(NotFoundError);
  });
});
