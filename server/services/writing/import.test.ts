import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../domain/account/caller.js';
import { NO_FILTER } from '../../domain/filter/filter.js';
import type { GivenDedupe } from '../../domain/memory/distinct.js';
import type { Memory } from '../../domain/memory/memory.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { PayloadTooLargeError, ServiceError } from '../../errors.js';
import { anotherCaller, type TestWorld, testWorld } from '../../testing/app/test-deps.js';
import { ChunkEmbedder } from '../../testing/fixtures/chunk-embedder.js';
import { updateSettings } from '../organization/settings.js';
import { deleteMemory } from '../removal/delete.js';
import type { ImportInput, VersionInput } from './arrival.js';
import { type ImportItem, type ImportResult, importMemories } from './import.js';
import { ingest } from './ingest.js';
import { updateMemory } from './update.js';
import { upsert } from './upsert.js';
import type { WriteDeps } from './write.js';

const ID = '0198c5a2-8a44-7f00-8c1d-5b7e9a2d6f02';
const items = (...inputs: ImportInput[]) => inputs.map((input) => ({ input }));

function outcomes(results: readonly ImportResult[]): string[] {
  return results.map((result) => ('error' in result ? `${result.index}: ${result.error.code}` : result.outcome));
}

/** Returns all memories, deleted ones included, as an export has them. */
async function linesOf({ store }: Pick<WriteDeps, 'store'>, { organizationId }: Caller): Promise<ImportInput[]> {
  const query = { filter: NO_FILTER, includeDeleted: true, order: 'oldest', limit: 100 } as const;
  return (await store.memories.list(organizationId, query)).map(toInput);
}

function toInput({ organizationId: _, createdAt, updatedAt, deletedAt, expiresAt, ...memory }: Memory): ImportInput {
  return {
    ...memory,
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    ...(deletedAt !== undefined && { deletedAt: formatTimestamp(deletedAt) }),
    ...(expiresAt !== undefined && { expiresAt: formatTimestamp(expiresAt) }),
    scope: { ...(memory.scope.source !== '' && { source: memory.scope.source }) },
  };
}

function byChange(lines: readonly ImportInput[]): ImportInput[] {
  return lines.toSorted((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? -1 : 1));
}

interface Step {
  kind: string;
  content: number;
  key: number;
  chunk: number;
  nth: number;
  dedupe: GivenDedupe;
}

/** Makes one write. A write that the rules reject changes nothing. */
async function take({ deps, caller }: TestWorld, step: Step, ids: readonly string[]) {
  const content = `Content ${'x'.repeat(step.content)}`;
  const metadata = step.chunk === 0 ? { n: step.nth } : { documentId: 'd', chunkIndex: step.chunk - 1, chunkTotal: 3 };
  const id = ids[step.nth % Math.max(1, ids.length)] ?? ID;
  const scope = { source: 's' };
  try {
    const { dedupe } = step;
    if (step.kind === 'ingest') return await ingest(deps, caller, { content, metadata, dedupe });
    if (step.kind === 'upsert')
      return await upsert(deps, caller, { externalKey: `k${step.key}`, scope, content, metadata, dedupe });
    if (step.kind === 'update') return await updateMemory(deps, caller, id, { content });
    await deleteMemory(deps, caller, id);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  return undefined;
}

describe('importMemories', () => {
  test('embeds the chunks of a document with regard to each other, without the deleted ones, if the model can', async () => {
    const embedder = new ChunkEmbedder();
    const { deps, caller } = await testWorld({ embedder });
    const chunk = (content: string, chunkIndex: number) => ({
      content,
      metadata: { documentId: 'd', chunkIndex, chunkTotal: 3 },
    });
    const deleted = { ...chunk('bbb', 1), id: ID, deletedAt: '2026-01-02T03:04:05.000000Z' };

    const results = await importMemories(deps, caller, items(chunk('ccc', 2), deleted, chunk('aaa', 0)));

    expect(outcomes(results)).toEqual(['created', 'created', 'created']);
    expect(embedder.documents).toEqual([['aaa', 'ccc'], ['bbb']]);
  });

  test('restores ids, keys, subjects, chunks, times and deleted memories in an empty organization', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'string' });
    const first = await ingest(deps, caller, { content: 'Ana likes tea.', subjectKey: 'ana', metadata: { a: 1 } });
    await upsert(deps, caller, { externalKey: 'k', scope: { source: 's' }, content: 'Scoped.' });
    await upsert(deps, caller, { externalKey: 'k', content: 'Not scoped.' });
    for (const chunkIndex of [0, 1]) {
      await ingest(deps, caller, { content: 'Same.', metadata: { documentId: 'd', chunkIndex, chunkTotal: 2 } });
    }
    const gone = await ingest(deps, caller, { content: 'Gone.' });
    await deleteMemory(deps, caller, gone.memory.id);
    await updateMemory(deps, caller, first.memory.id, { content: 'Ana likes coffee.' });
    const lines = await linesOf(deps, caller);
    const elsewhere = await testWorld();
    await updateSettings(elsewhere.deps, elsewhere.caller, { subjectKeyType: 'string' });

    const imported = await importMemories(elsewhere.deps, elsewhere.caller, items(...byChange(lines)));
    const again = await importMemories(elsewhere.deps, elsewhere.caller, items(...lines));

    expect(outcomes(imported)).toEqual(lines.map(() => 'created'));
    expect(outcomes(again)).toEqual(lines.map(() => 'present'));
    expect(await linesOf(elsewhere.deps, elsewhere.caller)).toEqual(lines);
    expect(elsewhere.deps.embedder.embedded).toHaveLength(5);
  });

  test('restores the same memories after any sequence of writes', async () => {
    const kinds = fc.constantFrom('ingest', 'upsert', 'update', 'delete');
    const dedupe = fc.constantFrom<GivenDedupe>(undefined, undefined, 'off', 'on');
    const steps = fc.array(
      fc.record({ kind: kinds, content: fc.nat(5), key: fc.nat(3), chunk: fc.nat(3), nth: fc.nat(9), dedupe }),
      {
        minLength: 1,
        maxLength: 40,
      },
    );
    const property = fc.asyncProperty(steps, async (taken) => {
      const [from, to] = [await testWorld(), await testWorld()];
      const ids: string[] = [];
      for (const step of taken) {
        const { memory } = (await take(from, step, ids)) ?? {};
        if (memory) ids.push(memory.id);
      }
      const lines = await linesOf(from.deps, from.caller);

      const imported = lines.length === 0 ? [] : await importMemories(to.deps, to.caller, items(...byChange(lines)));

      expect(outcomes(imported)).toEqual(lines.map(() => 'created'));
      expect(await linesOf(to.deps, to.caller)).toEqual(lines);
    });

    await fc.assert(property, { numRuns: 15 });
  });

  test('keeps creation times, and puts the import at the end of the feed', async () => {
    const { deps, caller } = await testWorld();
    const { memory: newest } = await ingest(deps, caller, { content: 'here before' });
    const createdAt = '2024-05-01T00:00:00.000000Z';

    await importMemories(
      deps,
      caller,
      items({ content: 'one', createdAt, updatedAt: createdAt }, { content: 'two', createdAt }, { content: 'now' }),
    );

    const lines = await linesOf(deps, caller);
    expect(lines.map(({ content }) => content)).toEqual(['one', 'two', 'here before', 'now']);
    expect(lines.map((line) => line.createdAt).slice(0, 2)).toEqual([createdAt, '2024-05-01T00:00:00.000001Z']);
    for (const { content, updatedAt = '' } of lines) {
      if (content !== 'here before') expect(updatedAt > formatTimestamp(newest.updatedAt)).toBe(true);
    }
  });

  test('leaves present memories unchanged, and rejects those in conflict with others', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await upsert(deps, caller, { externalKey: 'k', content: 'a', metadata: { kept: true } });
    await ingest(deps, caller, { content: 'b' });

    const results = await importMemories(
      deps,
      caller,
      items(
        { id: memory.id, content: 'a', metadata: { other: 1 } },
        { content: 'a', externalKey: 'k' },
        { content: 'b' },
        { id: memory.id, content: 'changed' },
        { id: ID, content: 'b' },
        { content: 'b', externalKey: 'l' },
        { content: 'c', externalKey: 'k' },
      ),
    );

    expect(outcomes(results)).toEqual([
      'present',
      'present',
      'present',
      '3: content_conflict',
      '4: content_conflict',
      '5: content_conflict',
      '6: external_key_conflict',
    ]);
    const stored = await deps.store.memories.findById(caller.organizationId, memory.id);
    expect(stored).toEqual(memory);
  });

  test('ignores the memories of other organizations', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    const line = { id: ID, content: 'a', externalKey: 'k', createdAt: '2024-05-01', updatedAt: '2024-05-02' };

    const own = await importMemories(deps, caller, items(line));
    const theirs = await importMemories(deps, other, items(line));
    const again = await importMemories(deps, other, items(line));

    expect(outcomes([...own, ...theirs, ...again])).toEqual(['created', 'created', 'present']);
    expect(again).toEqual([{ ...theirs[0], outcome: 'present' }]);
  });

  test.each<[string, ImportInput]>([
    ['a time in the future', { content: 'a', createdAt: '2999-01-01' }],
    ['a change in the future', { content: 'a', updatedAt: '2999-01-01' }],
    ['a malformed time', { content: 'a', createdAt: 'yesterday' }],
    ['a change before the creation', { content: 'a', createdAt: '2024-05-02', updatedAt: '2024-05-01' }],
    ['a deletion before the creation', { id: ID, content: 'a', createdAt: '2024-05-02', deletedAt: '2024-05-01' }],
    ['a deletion after the last change', { id: ID, content: 'a', updatedAt: '2024-05-01', deletedAt: '2024-05-02' }],
    ['a deletion without id', { content: 'a', deletedAt: '2024-05-01' }],
    ['blank content', { content: ' ' }],
  ])('rejects only the item with %s', async (_, input) => {
    const { deps, caller } = await testWorld();

    const results = await importMemories(deps, caller, items(input, { content: 'fine' }));

    expect(outcomes(results)).toEqual(['0: validation_failed', 'created']);
  });

  test('succeeds if a memory has expired since the export', async () => {
    const clock = { now: 1_772_442_000_000_000 };
    const { deps, caller } = await testWorld({ now: () => clock.now });
    await ingest(deps, caller, { content: 'a', expiresAt: formatTimestamp(clock.now + 1_000) });
    clock.now += 2_000;

    const results = await importMemories(deps, caller, items({ id: ID, content: 'a' }));

    expect(outcomes(results)).toEqual(['created']);
  });

  test('accepts metadata that repeats the keys of its memory, as exports with SERVICE_METADATA_MIRROR do', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'string' });
    const keys = { externalKey: 'k', subjectKey: 'ana' };

    const results = await importMemories(
      deps,
      caller,
      items(
        { id: ID, content: 'a', ...keys, metadata: { ...keys, kind: 'note' } },
        { content: 'b', ...keys, metadata: { subjectKey: 'ben' } },
        { content: 'c', metadata: { externalKey: 'k' } },
      ),
    );

    expect(outcomes(results)).toEqual(['created', '1: validation_failed', '2: validation_failed']);
    expect(await deps.store.memories.findById(caller.organizationId, ID)).toMatchObject({
      ...keys,
      metadata: { kind: 'note' },
    });
  });

  describe('of versions', () => {
    const memory = { id: ID, content: 'now', createdAt: '2024-05-01', updatedAt: '2024-05-09' };
    const versionOf = (version: number, more: Partial<VersionInput> = {}): ImportItem => ({
      version: {
        memoryId: ID,
        version,
        content: `state ${version}`,
        updatedAt: `2024-05-0${version}`,
        replacedAt: `2024-05-0${version + 1}`,
        ...more,
      },
    });
    const numbersOf = async ({ deps, caller }: TestWorld) =>
      (await deps.store.versions.list(caller.organizationId, ID, { limit: 99 })).map(({ number }) => number);

    test('stores them with their numbers, and changes nothing the second time', async () => {
      const world = await testWorld();
      const { deps, caller } = world;
      const all = [...items(memory), versionOf(2), versionOf(5)];

      const imported = await importMemories(deps, caller, all);
      const again = await importMemories(deps, caller, all);
      await updateMemory(deps, caller, ID, { content: 'later' });

      expect(imported.map((result) => 'id' in result && result.id)).toEqual([ID, ID, ID]);
      expect(outcomes(imported)).toEqual(['created', 'created', 'created']);
      expect(outcomes(again)).toEqual(['present', 'present', 'present']);
      expect(await numbersOf(world)).toEqual([6, 5, 2]);
    });

    test('resumes after an import that was interrupted', async () => {
      const world = await testWorld();
      const { deps, caller } = world;

      await importMemories(deps, caller, [...items(memory), versionOf(1)]);
      const rest = await importMemories(deps, caller, [versionOf(1), versionOf(2), versionOf(3)]);

      expect(outcomes(rest)).toEqual(['present', 'created', 'created']);
      expect(await numbersOf(world)).toEqual([3, 2, 1]);
    });

    test('stores at most keptVersions of them', async () => {
      const [two, none] = [await testWorld(), await testWorld()];
      await updateSettings(two.deps, two.caller, { keptVersions: 2 });
      await updateSettings(none.deps, none.caller, { keptVersions: 0 });
      const all = [...items(memory), versionOf(1), versionOf(2), versionOf(3)];

      await importMemories(two.deps, two.caller, all);
      const again = await importMemories(two.deps, two.caller, all);
      const withoutAny = await importMemories(none.deps, none.caller, all);

      expect(await numbersOf(two)).toEqual([3, 2]);
      expect(outcomes(again)).toEqual(['present', 'not_kept', 'present', 'present']);
      expect(outcomes(withoutAny)).toEqual(['created', 'not_kept', 'not_kept', 'not_kept']);
      expect(await numbersOf(none)).toEqual([]);
    });

    test.each<[string, Partial<VersionInput>, string]>([
      ['of an unknown memory', { memoryId: 'unknown' }, 'not_found'],
      ['that ends before it began', { updatedAt: '2024-05-08' }, 'validation_failed'],
      [
        'that ends before the version below it',
        { updatedAt: '2024-05-01', replacedAt: '2024-05-02' },
        'validation_failed',
      ],
      ['that ends after the last change of the memory', { replacedAt: '2024-05-10' }, 'validation_failed'],
      ['with a malformed time', { replacedAt: 'soon' }, 'validation_failed'],
      ['with blank content', { content: ' ' }, 'validation_failed'],
      ['with a subject key that the organization cannot have', { subjectKey: 'ana' }, 'subject_key_invalid'],
    ])('rejects only the one %s', async (_, fault, code) => {
      const world = await testWorld();
      const { deps, caller } = world;

      const results = await importMemories(deps, caller, [
        ...items(memory),
        versionOf(3),
        versionOf(4, fault),
        versionOf(5),
      ]);

      expect(outcomes(results)).toEqual([
        'created',
        'created',
        `2: ${code}`.replace(/not_found$/, 'undefined'),
        'created',
      ]);
      expect(await numbersOf(world)).toEqual([5, 3]);
    });

    test('rejects one about a subject that is being erased', async () => {
      const { deps, caller } = await testWorld();
      await updateSettings(deps, caller, { subjectKeyType: 'string' });
      await importMemories(deps, caller, items(memory));
      await deps.store.transact(caller.organizationId, async (unit) =>
        unit.saveSettings({ ...(await unit.settings()), erasing: ['ana'] }),
      );

      const results = await importMemories(deps, caller, [
        versionOf(1, { subjectKey: 'ana' }),
        versionOf(2, { subjectKey: 'ben' }),
      ]);

      expect(outcomes(results)).toEqual(['0: service_unavailable', 'created']);
    });
  });

  test('rejects more items than the maximum', async () => {
    const { deps, caller } = await testWorld();
    const many = items(...Array.from({ length: 51 }, (_, n) => ({ content: `${n}` })));

    await expect(importMemories(deps, caller, many)).rejects.toThrow(PayloadTooLargeError);
  });

  test('audits each stored memory and the totals of the request', async () => {
    const { deps, caller } = await testWorld();
    const deleted = { id: ID, content: 'b', createdAt: '2024-05-01', updatedAt: '2024-05-02', deletedAt: '2024-05-02' };

    await importMemories(deps, caller, items({ content: 'a' }, deleted, { content: '' }));
    await importMemories(deps, caller, items({ content: 'a' }));

    const events = await deps.store.audit.list(caller.organizationId, { limit: 9 });
    expect(events.map(({ action }) => action)).toEqual(['memory.batch', 'memory.import', 'memory.import']);
    expect(events[0]?.metadata).toEqual({ ok: 2, failed: 1 });
  });

  test('stores nothing twice if parallel requests import the same memories', async () => {
    const { deps, caller } = await testWorld();
    const line = { id: ID, content: 'a', createdAt: '2024-05-01' };

    const all = await Promise.all(Array.from({ length: 8 }, () => importMemories(deps, caller, items(line))));

    expect(outcomes(all.flat()).toSorted()).toEqual(['created', ...Array.from({ length: 7 }, () => 'present')]);
  });
});
