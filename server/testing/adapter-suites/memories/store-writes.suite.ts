import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { chunkIdentity, type Place } from '../../../domain/documents/chunk.js';
import { ownHash } from '../../../domain/memory/distinct.js';
import { NO_SCOPE } from '../../../domain/memory/memory.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import { aMemory, anOrganization, change, indexedBy, NORTH, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests that memories are written, and found by key and id. */
export function writesSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: insert and update`, () => {
    test('returns every field as it was written, including nulls and unusual keys of the metadata', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const metadata = JSON.parse(
        '{"cleared":null,"nested":{"a":[1,"2",{"b":null}]},"":0,"a.b":1,"$where":"x","__proto__":{"own":true},"half":0.5}',
      );

      const [memory] = await store(tested, organizationId, {
        content: 'Ünïcode 😀 "quoted"\nsecond line',
        metadata,
        externalKey: 'ticket:7',
        scope: { source: 'tracker', project: 'säge' },
        subjectKey: 42,
      });

      const found = await tested.memories.findById(organizationId, memory!.id);
      expect(found).toEqual(memory);
      expect(JSON.stringify(found?.metadata)).toBe(JSON.stringify(metadata));
    });

    test('leaves absent fields absent', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const [memory] = await store(tested, organizationId, {});

      const found = await tested.memories.findById(organizationId, memory!.id);
      expect(Object.keys(found!).sort()).toEqual([
        'content',
        'createdAt',
        'id',
        'metadata',
        'organizationId',
        'scope',
        'updatedAt',
      ]);
    });

    test('keeps subject keys of two types apart, including the empty string and the smallest and largest integers', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const subjectKeys = [1, '1', '', 'i:1', Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, undefined];

      const stored = await store(
        tested,
        organizationId,
        ...subjectKeys.map((subjectKey) => ({ content: 'same', ...(subjectKey !== undefined && { subjectKey }) })),
      );

      const { contentHash } = indexedBy({ content: 'same' });
      for (const [index, subjectKey] of subjectKeys.entries()) {
        const found = await tested.transact(organizationId, (unit) =>
          unit.findActiveByContent({ subjectKey }, contentHash),
        );
        expect(found).toEqual(stored[index]);
      }
    });

    test('finds nothing by an id that is unknown, malformed, or of another organization', async () => {
      const tested = await openEmpty();
      const [own, foreign] = [await anOrganization(tested), await anOrganization(tested)];
      const [memory] = await store(tested, foreign, {});

      for (const id of [memory!.id, v7(), '', 'no-uuid', "' OR 1=1 --", memory!.id.toUpperCase()]) {
        expect(await tested.memories.findById(own, id)).toBeUndefined();
        expect(await tested.transact(own, (unit) => unit.findById(id))).toBeUndefined();
      }
      expect(await tested.memories.findById(v7(), memory!.id)).toBeUndefined();
    });

    test('replaces a memory by its new state, and its lookup keys with it', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { content: 'old', externalKey: 'k', metadata: { a: 1 } });

      const changed = await change(
        tested,
        memory!,
        { content: 'new', metadata: { b: null }, subjectKey: 'anna', scope: { source: 's', project: '' } },
        indexedBy(memory!).embedding,
      );

      expect(await tested.memories.findById(organizationId, memory!.id)).toEqual(changed);
      const by = (subjectKey: string | undefined, content: string) =>
        tested.transact(organizationId, (unit) =>
          unit.findActiveByContent({ subjectKey }, indexedBy({ content }).contentHash),
        );
      expect(await by(undefined, 'old')).toBeUndefined();
      expect(await by('anna', 'old')).toBeUndefined();
      expect(await by('anna', 'new')).toEqual(changed);
      await tested.transact(organizationId, async (unit) => {
        expect(await unit.findByExternalKey('k', NO_SCOPE)).toBeUndefined();
        expect(await unit.findByExternalKey('k', { source: 's', project: '' })).toEqual(changed);
      });
    });

    test('rejects new content without its lookup keys, and an unknown memory', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, {});

      await expect(change(tested, memory!, { content: 'other' })).rejects.toThrow();
      await expect(tested.transact(organizationId, (unit) => unit.update(aMemory()))).rejects.toThrow();
    });

    test('finds active memories of a subject by their words, oldest first', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [deleted, oldest, newest] = await store(
        tested,
        organizationId,
        { content: 'SAME' },
        { content: 'Same' },
        { content: 'same' },
        { content: 'sAME', subjectKey: 'other' },
      );
      await softDelete(tested, deleted!);

      const { wordsHash } = indexedBy({ content: 'same' });
      const find = (limit: number, subjectKey?: string) =>
        tested.transact(organizationId, (unit) => unit.findActiveByWords({ subjectKey }, wordsHash, limit));

      expect(await find(9)).toEqual([oldest, newest]);
      expect(await find(1)).toEqual([oldest]);
      expect(await find(9, 'third')).toEqual([]);
      const changed = await change(tested, newest!, { content: 'other' }, NORTH);
      expect(await find(9)).toEqual([oldest]);
      await change(tested, changed, { content: 'sAmE', subjectKey: 'other' }, NORTH);
      expect(await find(9, 'other')).toHaveLength(2);
    });

    test('finds the oldest active memory of a subject by its fold and its chunk', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const chunk = { documentId: 'd', chunkIndex: 0, chunkTotal: 1 };
      const [deleted, chunked, oldest, newest] = await store(
        tested,
        organizationId,
        { content: 'SAME!' },
        { content: 'SAME', metadata: chunk },
        { content: 'Same' },
        { content: 'same' },
        { content: 'sAME', subjectKey: 'other' },
      );
      await softDelete(tested, deleted!);
      const write = { ...indexedBy({ content: 'same' }), scope: NO_SCOPE };
      const find = async (subjectKey?: string, identity?: string) => {
        const place = { subjectKey, chunk: identity };
        const found = await tested.transact(organizationId, (unit) => unit.findActiveByFold(place, write));
        const announced = await tested.transact(organizationId, async (unit) => {
          await unit.expect?.({ writes: [{ ...write, ...place }] });
          return unit.findActiveByFold(place, write);
        });
        expect(announced).toEqual(found);
        return found;
      };

      expect(await find()).toEqual(oldest);
      expect(await find('third')).toBeUndefined();
      expect(await find(undefined, chunkIdentity(chunk))).toEqual(chunked);
      expect(await find(undefined, chunkIdentity({ ...chunk, documentId: 'e' }))).toBeUndefined();
      await change(tested, oldest!, { content: 'other' }, NORTH);
      expect(await find()).toEqual(newest);
    });

    test('finds a memory among many that differ from it only in their chunk', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const chunkOf = (chunkIndex: number) => ({ documentId: 'd', chunkIndex, chunkTotal: 80 });
      const given = Array.from({ length: 80 }, (_, n) => ({ content: 'same', metadata: chunkOf(n) }));
      const stored = await store(tested, organizationId, ...given, { content: 'same' });
      const write = { ...indexedBy({ content: 'same' }), scope: NO_SCOPE };
      const find = (place: Place, announces: boolean) =>
        tested.transact(organizationId, async (unit) => {
          if (announces) await unit.expect?.({ writes: [{ ...write, ...place }] });
          return [
            await unit.findActiveByContent(place, write.contentHash),
            await unit.findActiveByFold(place, write),
            ...(await unit.findActiveByWords(place, write.wordsHash, 9)),
          ];
        });

      for (const announces of [false, true]) {
        const last = stored[79];
        expect(await find({ chunk: chunkIdentity(chunkOf(79)) }, announces)).toEqual([last, last, last]);
        expect(await find({}, announces)).toEqual([stored[80], stored[80], stored[80]]);
      }
      expect(await tested.memories.areActive(organizationId, [write])).toEqual([true]);
    });

    test('finds announced contents as the unit has left them', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = [
        { content: 'edited' },
        { content: 'deleted' },
        { content: 'kept' },
        { content: 'kept', subjectKey: 7 },
      ];
      const [edited, deleted, kept, other] = await store(tested, organizationId, ...given);
      const hashOf = (content: string) => indexedBy({ content }).contentHash;
      const writes = [...given, { content: 'unknown' }].map(({ content, ...place }) => ({
        ...place,
        contentHash: hashOf(content),
        scope: NO_SCOPE,
      }));

      const found = await tested.transact(organizationId, async (unit) => {
        await unit.expect?.({ writes });
        const find = (content: string, place: Place = {}) => unit.findActiveByContent(place, hashOf(content));
        const before = [await find('edited'), await find('deleted'), await find('unknown')];
        await unit.update({ ...edited!, metadata: { kind: 'new' } });
        await unit.update({ ...deleted!, deletedAt: await unit.tick() });
        const after = [await find('edited'), await find('deleted'), await find('kept'), await find('kept', other)];
        const memory = { ...deleted!, id: v7(), createdAt: await unit.tick() };
        await unit.insert(memory, indexedBy(memory));
        return { before, after, again: [await find('deleted'), memory] };
      });

      expect(found.before).toEqual([edited, deleted, undefined]);
      expect(found.after).toEqual([{ ...edited!, metadata: { kind: 'new' } }, undefined, kept, other]);
      expect(found.again[0]).toEqual(found.again[1]);
    });

    test('keeps distinct memories beside memories with equal content, and finds them only by key and id', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const distinct = { content: 'same', distinct: true } as const;
      const [plain, ...others] = await store(
        tested,
        organizationId,
        { content: 'same' },
        distinct,
        distinct,
        { ...distinct, externalKey: 'a' },
        { ...distinct, externalKey: 'b' },
      );
      const { contentHash, wordsHash } = indexedBy({ content: 'same' });
      const sought = { contentHash, wordsHash, foldHash: indexedBy({ content: 'same' }).foldHash, scope: NO_SCOPE };
      const find = (announces: boolean) =>
        tested.transact(organizationId, async (unit) => {
          if (announces) await unit.expect?.({ writes: [sought, { ...sought, externalKey: 'b' }] });
          return [
            await unit.findActiveByContent({}, contentHash),
            await unit.findActiveByFold({}, sought),
            ...(await unit.findActiveByWords({}, wordsHash, 9)),
            await unit.findByExternalKey('b', NO_SCOPE),
          ];
        });

      for (const announces of [false, true]) expect(await find(announces)).toEqual([plain, plain, plain, others[3]]);
      for (const each of others) expect(await tested.memories.findById(organizationId, each.id)).toEqual(each);
      const known = others.map((each) => ({ contentHash: ownHash(contentHash, each) }));
      expect(await tested.memories.areActive(organizationId, known)).toEqual([true, true, true, true]);
      await expect(store(tested, organizationId, { ...distinct, externalKey: 'a' })).rejects.toThrow(
        DuplicateMemoryError,
      );
    });

    test('makes a memory distinct and ordinary again without new content, unless its content is taken', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [first] = await store(tested, organizationId, { content: 'same', externalKey: 'a' });
      const find = () =>
        tested.transact(organizationId, (unit) =>
          unit.findActiveByContent({}, indexedBy({ content: 'same' }).contentHash),
        );

      const loosened = await change(tested, first!, { distinct: true });
      expect(await find()).toBeUndefined();
      const [second] = await store(tested, organizationId, { content: 'same' });
      expect(await find()).toEqual(second);
      const { distinct: _, ...ordinary } = loosened;
      const tighten = () =>
        tested.transact(organizationId, async (unit) => unit.update({ ...ordinary, updatedAt: await unit.tick() }));
      await expect(tighten()).rejects.toThrow(DuplicateMemoryError);
      await softDelete(tested, second!);
      await tighten();
      expect(await find()).toMatchObject({ id: first!.id });
    });

    test('deletes and restores a distinct memory, and replaces its content', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory, other] = await store(
        tested,
        organizationId,
        { content: 'same', distinct: true },
        { content: 'other' },
      );

      const { deletedAt: _, ...restored } = await softDelete(tested, memory!);
      await tested.transact(organizationId, async (unit) => unit.update({ ...restored, updatedAt: await unit.tick() }));
      const changed = await change(tested, memory!, { content: 'other' }, NORTH);

      expect(await tested.memories.findById(organizationId, memory!.id)).toEqual(changed);
      const found = await tested.transact(organizationId, (unit) =>
        unit.findActiveByContent({}, indexedBy({ content: 'other' }).contentHash),
      );
      expect(found).toEqual(other);
    });

    test('finds the active memory with a key, or else the one deleted last', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const find = () => tested.transact(organizationId, (unit) => unit.findByExternalKey('k', NO_SCOPE));
      const insert = async (content: string) =>
        (await store(tested, organizationId, { content, externalKey: 'k' }))[0]!;

      const first = await softDelete(tested, await insert('first'));
      expect(await find()).toEqual(first);
      const second = await insert('second');
      expect(await find()).toEqual(second);
      const deletedLast = await softDelete(tested, second);
      expect(await find()).toEqual(deletedLast);
    });

    test('reports if any memory has a subject, deleted ones included', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const any = () => tested.transact(organizationId, (unit) => unit.anySubjectKey());

      await store(tested, organizationId, { metadata: { subject: 's', subjectKey: 1 } });
      expect(await any()).toBe(false);
      const [memory] = await store(tested, organizationId, { subjectKey: 0 });
      expect(await any()).toBe(true);
      await softDelete(tested, memory!);
      expect(await any()).toBe(true);
    });
  });
}
