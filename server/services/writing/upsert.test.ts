import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { ConflictError, NotFoundError } from '../../errors.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { updateSettings } from '../organization/settings.js';
import { deleteMemory } from '../removal/delete.js';
import { ingest } from './ingest.js';
import { upsert } from './upsert.js';

describe('upsert', () => {
  test('creates a memory for a new key', async () => {
    const { deps, caller } = await testWorld();

    const { memory, outcome } = await upsert(deps, caller, { externalKey: 'k', content: 'one' });

    expect(outcome).toBe('created');
    expect(memory).toMatchObject({ externalKey: 'k', scope: { source: '', project: '' } });
  });

  test('treats equal content as a replay, and merges the metadata', async () => {
    const { deps, caller } = await testWorld();
    const first = await upsert(deps, caller, { externalKey: 'k', content: 'one', metadata: { a: 1 } });

    const replay = await upsert(deps, caller, { externalKey: 'k', content: 'one', metadata: { b: 2 } });

    expect(replay).toMatchObject({
      outcome: 'deduplicated',
      memory: { id: first.memory.id, metadata: { a: 1, b: 2 } },
    });
  });

  test('replaces changed content and its vector', async () => {
    const { deps, caller } = await testWorld();
    const first = await upsert(deps, caller, { externalKey: 'k', content: 'aaaa' });

    const changed = await upsert(deps, caller, { externalKey: 'k', content: 'zzzz' });

    expect(changed).toMatchObject({ outcome: 'updated', memory: { id: first.memory.id, content: 'zzzz' } });
    const [vector] = await deps.embedder.embed(['zzzz']);
    const [best] = await deps.store.memories.nearest(caller.organizationId, {
      vector: vector!,
      filter: NO_FILTER,
      includeDeleted: false,
      limit: 1,
    });
    expect(best).toMatchObject({ memory: { id: first.memory.id }, similarity: expect.closeTo(1, 5) });
  });

  test('stores equal content under two keys as two chunks, and moves a chunk without embedding it', async () => {
    const { deps, caller } = await testWorld();
    const put = (externalKey: string, chunkIndex: number) =>
      upsert(deps, caller, { externalKey, content: 'same', metadata: { documentId: 'd', chunkIndex, chunkTotal: 9 } });
    const first = await put('k', 0);

    expect((await put('l', 1)).outcome).toBe('created');
    expect(await put('k', 2)).toMatchObject({ outcome: 'deduplicated', memory: { id: first.memory.id } });
    await expect(put('l', 2)).rejects.toMatchObject({ code: 'content_conflict', extra: { id: first.memory.id } });
    expect((await put('l', 0)).outcome).toBe('deduplicated');
    expect(deps.embedder.embedded).toEqual(['same', 'same']);
  });

  test('stores one memory per key and scope', async () => {
    const { deps, caller } = await testWorld();
    const scopes = [undefined, { source: 'a' }, { project: 'a' }, { source: 'a', project: 'a' }];

    const outcomes = [];
    for (const [n, scope] of scopes.entries()) {
      outcomes.push((await upsert(deps, caller, { externalKey: 'k', scope, content: `content ${n}` })).outcome);
    }

    expect(outcomes).toEqual(['created', 'created', 'created', 'created']);
  });

  test('rejects the key of a deleted memory', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await upsert(deps, caller, { externalKey: 'k', content: 'one' });
    await deleteMemory(deps, caller, memory.id);

    await expect(upsert(deps, caller, { externalKey: 'k', content: 'two' })).rejects.toThrow(NotFoundError);
  });

  test('restores a deleted memory with restoreDeleted, and updates it', async () => {
    const { deps, caller } = await testWorld();
    const { organizationId } = caller;
    const { memory } = await upsert(deps, caller, { externalKey: 'k', content: 'aaaa', metadata: { a: 1, b: 1 } });
    await deleteMemory(deps, caller, memory.id);

    const metadata = { b: 2 };
    const restored = await upsert(deps, caller, { externalKey: 'k', content: 'zzzz', metadata, restoreDeleted: true });
    const again = await upsert(deps, caller, { externalKey: 'k', content: 'zzzz', restoreDeleted: true });

    const { id, createdAt } = memory;
    expect(restored).toMatchObject({ outcome: 'updated', memory: { id, createdAt, content: 'zzzz' } });
    expect(restored.memory.metadata).toEqual({ a: 1, b: 2 });
    expect(restored.memory).not.toHaveProperty('deletedAt');
    expect(await deps.store.memories.findById(organizationId, id)).toEqual(restored.memory);
    expect(again).toMatchObject({ outcome: 'deduplicated', untouched: true });
    const versions = await deps.store.versions.list(organizationId, id, { limit: 9 });
    expect(versions.map(({ content }) => content)).toEqual(['aaaa']);
    const events = await deps.store.audit.list(organizationId, { limit: 9 });
    expect(events.map(({ action }) => action)).toEqual([
      'memory.upsert',
      'memory.upsert',
      'memory.restore',
      'memory.delete',
      'memory.upsert',
    ]);
  });

  test('restores a deleted memory with equal content without embedding it, and drops an expiry that has passed', async () => {
    const clock = { now: 1_700_000_000_000_000 };
    const { deps, caller } = await testWorld({ now: () => clock.now });
    const expiresAt = formatTimestamp(clock.now + 1_000_000);
    const { memory } = await upsert(deps, caller, { externalKey: 'k', content: 'one', expiresAt });
    clock.now += 2_000_000;

    const restored = await upsert(deps, caller, { externalKey: 'k', content: 'one', restoreDeleted: true });

    expect(restored).toMatchObject({ outcome: 'updated', memory: { id: memory.id } });
    expect(restored.memory).not.toHaveProperty('expiresAt');
  });

  test('rejects restoreDeleted from a sender who may not restore, if there is a memory to restore', async () => {
    const { deps, caller } = await testWorld();
    const ingesting = { ...caller, abilities: ['memory:ingest'] };
    const put = () => upsert(deps, ingesting, { externalKey: 'k', content: 'one', restoreDeleted: true });
    const { memory } = await put();
    await deleteMemory(deps, caller, memory.id);

    await expect(put()).rejects.toMatchObject({ code: 'ability_denied' });

    expect(await deps.store.memories.findById(caller.organizationId, memory.id)).toHaveProperty('deletedAt');
  });

  test('restores nothing whose content another memory has meanwhile', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await upsert(deps, caller, { externalKey: 'k', content: 'one' });
    await deleteMemory(deps, caller, memory.id);
    const taken = await ingest(deps, caller, { content: 'one' });

    const restoring = upsert(deps, caller, { externalKey: 'k', content: 'one', restoreDeleted: true });

    await expect(restoring).rejects.toMatchObject({ code: 'content_conflict', extra: { id: taken.memory.id } });
  });

  test('rejects content that another memory has, and names it', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'taken' });
    await upsert(deps, caller, { externalKey: 'k', content: 'mine' });

    const conflicts = ['k', 'new'].map((externalKey) => upsert(deps, caller, { externalKey, content: 'taken' }));

    for (const conflict of conflicts) {
      await expect(conflict).rejects.toThrow(ConflictError);
      await expect(conflict).rejects.toMatchObject({ code: 'content_conflict', extra: { id: memory.id } });
    }
  });

  test('does not merge near-duplicates by meaning', async () => {
    const { deps, caller } = await testWorld();
    await upsert(deps, caller, { externalKey: 'a', content: 'The deploy runs on Fridays' });

    const near = await upsert(deps, caller, { externalKey: 'b', content: 'The deploys run on Fridays.' });

    expect(near.outcome).toBe('created');
  });

  test('changes the subject only if one is given', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'integer' });
    await upsert(deps, caller, { externalKey: 'k', content: 'one', subjectKey: 1 });

    const moved = await upsert(deps, caller, { externalKey: 'k', content: 'one', subjectKey: 2 });
    const kept = await upsert(deps, caller, { externalKey: 'k', content: 'two' });

    expect(moved).toMatchObject({ outcome: 'updated', memory: { subjectKey: 2 } });
    expect(kept).toMatchObject({ outcome: 'updated', memory: { subjectKey: 2, content: 'two' } });
  });

  test('stores 16 parallel upserts of one key as one memory', async () => {
    const { deps, caller } = await testWorld();

    const written = await Promise.all(
      Array.from({ length: 16 }, (_, n) => upsert(deps, caller, { externalKey: 'k', content: `version ${n}` })),
    );

    expect(written.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(new Set(written.map(({ memory }) => memory.id)).size).toBe(1);
  });
});

describe('upsert bound to a project', () => {
  test.each([
    ['with the same content', 'same'],
    ['with other content', 'other'],
  ])('rejects the key of a memory elsewhere %s, and does not change it', async (_, content) => {
    const { deps, caller } = await testWorld();
    const { memory } = await upsert(deps, caller, { content: 'same', externalKey: 'k' });
    const bound = { ...caller, within: { project: 'atlas' } };

    const refused = upsert(deps, bound, { content, externalKey: 'k', metadata: { project: 'atlas' } });

    await expect(refused).rejects.toMatchObject({ code: 'content_conflict', extra: { id: memory.id } });
    expect(await deps.store.memories.findById(caller.organizationId, memory.id)).toEqual(memory);
  });

  test('changes the memory of the key inside', async () => {
    const { deps, caller } = await testWorld();
    const bound = { ...caller, within: { project: 'atlas' } };
    await upsert(deps, bound, { content: 'one', externalKey: 'k', metadata: { project: 'atlas' } });

    const changed = await upsert(deps, bound, { content: 'two', externalKey: 'k' });

    expect(changed).toMatchObject({ outcome: 'updated', memory: { metadata: { project: 'atlas' } } });
  });
});
