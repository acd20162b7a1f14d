import { describe, expect, test } from 'vitest';
import type { Memory } from '../../../domain/memory/memory.js';
import type { MemoryVersion } from '../../../domain/memory/version.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization, change, insertInto, NORTH, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests versions of memories: kept, counted, listed and found. */
export function versionsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: versions`, () => {
    test('keeps the content, metadata, subject key and times that a change replaces', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [first] = await store(tested, organizationId, { content: 'one', metadata: { a: [1] }, subjectKey: 42 });

      const second = await change(tested, first!, { content: 'two', metadata: { b: null } }, NORTH);
      const third = await change(tested, second, { subjectKey: 'anna' });

      const memoryId = first!.id;
      const subjectKey = 42;
      expect(await versionsOf(tested, first!)).toEqual([
        {
          memoryId,
          number: 2,
          content: 'two',
          metadata: { b: null },
          subjectKey,
          updatedAt: second.updatedAt,
          replacedAt: third.updatedAt,
        },
        {
          memoryId,
          number: 1,
          content: 'one',
          metadata: { a: [1] },
          subjectKey,
          updatedAt: first!.updatedAt,
          replacedAt: second.updatedAt,
        },
      ]);
    });

    test('keeps no version on deletion, or on a change of anything that versions do not contain', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { a: 1, b: 2 } });

      const same = await change(tested, memory!, { metadata: { b: 2, a: 1 } });
      await softDelete(tested, same);

      expect(await versionsOf(tested, memory!)).toEqual([]);
    });

    test('keeps as many of the last versions as the organization sets, and never reuses a number', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested, { keptVersions: 2 });
      let [memory] = await store(tested, organizationId, { metadata: { n: 0 } });
      const set = async (from: number, to: number) => {
        for (let n = from; n <= to; n += 1) memory = await change(tested, memory!, { metadata: { n } });
      };

      await set(1, 4);
      const two = await numbersOf(tested, memory!);
      await keep(tested, organizationId, 0);
      await set(5, 6);
      const none = await numbersOf(tested, memory!);
      await keep(tested, organizationId, 3);
      await set(7, 8);

      expect(two).toEqual([4, 3]);
      expect(none).toEqual([]);
      expect(await numbersOf(tested, memory!)).toEqual([6, 5]);
    });

    test('keeps ten versions if the organization has set nothing', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { n: 0 } });

      await tested.transact(organizationId, async (unit) => {
        let current = memory!;
        for (let n = 1; n <= 12; n += 1) {
          current = { ...current, metadata: { n }, updatedAt: await unit.tick() };
          await unit.update(current);
        }
        expect((await unit.findVersion(current.id, 12))?.metadata).toEqual({ n: 11 });
        expect(await unit.findVersion(current.id, 2)).toBeUndefined();
      });

      expect(await numbersOf(tested, memory!)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    });

    test('lists versions page by page', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      let [memory] = await store(tested, organizationId, { metadata: { n: 0 } });
      for (let n = 1; n <= 3; n += 1) memory = await change(tested, memory!, { metadata: { n } });
      const { id } = memory!;

      const first = await tested.versions.list(organizationId, id, { limit: 2 });
      const after = { at: first[1]!.replacedAt, id };
      const second = await tested.versions.list(organizationId, id, { limit: 2, after });

      expect(first.map(({ number }) => number)).toEqual([3, 2]);
      expect(second.map(({ number }) => number)).toEqual([1]);
    });

    test('lists the versions of all memories by memory and page, deleted memories included', async () => {
      const tested = await openEmpty();
      const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [one, two] = await store(tested, organizationId, { metadata: { n: 0 } }, { metadata: { n: 0 } });
      const [theirs] = await store(tested, other, { metadata: { n: 0 } });
      await change(tested, theirs!, { metadata: { n: 1 } });
      let [first, second] = [one!, two!];
      for (let n = 1; n <= 2; n += 1) {
        first = await change(tested, first, { metadata: { n } });
        second = await change(tested, second, { metadata: { n } });
      }
      await softDelete(tested, first);

      const listed = [];
      let page = await tested.versions.listAll(organizationId, { limit: 3 });
      while (page.length > 0) {
        listed.push(...page);
        const { replacedAt: at, memoryId: id } = page.at(-1)!;
        page = await tested.versions.listAll(organizationId, { limit: 3, after: { at, id } });
      }

      const byId = [first, second].toSorted((a, b) => (a.id < b.id ? 1 : -1));
      expect(listed.map(({ memoryId, number }) => [memoryId, number])).toEqual(
        byId.flatMap(({ id }) => [
          [id, 1],
          [id, 2],
        ]),
      );
    });

    test('stores imported versions unchanged, and continues their numbers', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested, { keptVersions: 3 });
      const [memory] = await store(tested, organizationId, { metadata: { n: 0 } });
      const memoryId = memory!.id;
      const versionOf = (number: number): MemoryVersion => ({
        memoryId,
        number,
        content: `state ${number}`,
        metadata: { number },
        ...(number % 2 === 0 && { subjectKey: 'ana' }),
        updatedAt: number,
        replacedAt: number + 1,
      });

      const seen = await tested.transact(organizationId, async (unit) => {
        const before = [await unit.countVersions(memoryId), await unit.findLastVersion(memoryId)];
        for (const number of [4, 6, 7, 8]) await unit.insertVersion(versionOf(number));
        return [...before, await unit.countVersions(memoryId), await unit.findLastVersion(memoryId)];
      });
      const kept = await versionsOf(tested, memory!);
      await change(tested, memory!, { metadata: { n: 1 } });

      expect(seen).toEqual([0, undefined, 8, versionOf(8)]);
      expect(kept).toEqual([versionOf(8), versionOf(7), versionOf(6)]);
      expect(await numbersOf(tested, memory!)).toEqual([9, 8, 7]);
    });

    test('stores an imported version with the memory of the same unit', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const state = { content: 'a', metadata: {}, updatedAt: 1, replacedAt: 2 };

      const memory = await tested.transact(organizationId, async (unit) => {
        const stored = await insertInto(unit, { content: 'b' });
        await unit.insertVersion({ memoryId: stored.id, number: 1, ...state });
        expect(await unit.findVersion(stored.id, 1)).toMatchObject(state);
        return stored;
      });

      expect(await versionsOf(tested, memory)).toEqual([{ memoryId: memory.id, number: 1, ...state }]);
    });

    test('finds none for another organization, an unknown memory or an unknown number', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const other = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { n: 0 } });
      await change(tested, memory!, { metadata: { n: 1 } });
      const { id } = memory!;

      expect(await tested.versions.find(organizationId, id, 1)).toMatchObject({ memoryId: id, number: 1 });
      expect(await tested.versions.list(other, id, { limit: 5 })).toEqual([]);
      expect(await tested.versions.find(other, id, 1)).toBeUndefined();
      expect(await tested.versions.find(organizationId, 'not-a-uuid', 1)).toBeUndefined();
      expect(await tested.versions.find(organizationId, id, 2)).toBeUndefined();
      expect(await tested.transact(other, (unit) => unit.findVersion(id, 1))).toBeUndefined();
    });

    test('removes the versions of a purged memory', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory, other] = await store(tested, organizationId, { metadata: { n: 0 } }, { metadata: { n: 0 } });
      await softDelete(tested, await change(tested, memory!, { metadata: { n: 1 } }));
      await change(tested, other!, { metadata: { n: 1 } });

      await tested.transact(organizationId, async (unit) => unit.purge(memory!.id, await unit.tick()));

      expect(await versionsOf(tested, memory!)).toEqual([]);
      expect(await numbersOf(tested, other!)).toEqual([1]);
    });

    test('keeps no version of a unit that fails', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { n: 0 } });

      const failing = tested.transact(organizationId, async (unit) => {
        await unit.update({ ...memory!, metadata: { n: 1 }, updatedAt: await unit.tick() });
        throw new Error('on purpose');
      });

      await expect(failing).rejects.toThrow('on purpose');
      expect(await versionsOf(tested, memory!)).toEqual([]);
      await change(tested, memory!, { metadata: { n: 2 } });
      expect(await numbersOf(tested, memory!)).toEqual([1]);
    });
  });
}

function versionsOf(tested: Store, { organizationId, id }: Memory) {
  return tested.versions.list(organizationId, id, { limit: 100 });
}

async function numbersOf(tested: Store, memory: Memory): Promise<number[]> {
  return (await versionsOf(tested, memory)).map(({ number }) => number);
}

function keep(tested: Store, organizationId: string, keptVersions: number): Promise<void> {
  return tested.transact(organizationId, async (unit) =>
    unit.saveSettings({ ...(await unit.settings()), keptVersions }),
  );
}
