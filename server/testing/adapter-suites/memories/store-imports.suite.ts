import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { NO_SCOPE } from '../../../domain/memory/memory.js';
import type { ListQuery } from '../../../ports/memory-reader.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import { aMemory, anOrganization, change, indexedBy, NORTH, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const ALL = { filter: { metadata: [] }, includeDeleted: true } as const;

/** Tests imported memories, which keep their times and ids. */
export function importsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: imports`, () => {
    test('rejects a memory with the creation time of the newest', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [{ createdAt } = aMemory()] = await store(tested, organizationId, {});
      const same = aMemory({ organizationId, createdAt });

      await expect(tested.transact(organizationId, (unit) => unit.insert(same, indexedBy(same)))).rejects.toThrow();
    });

    test('returns times at which no memory was created, deleted ones included, and accepts memories of those times', async () => {
      const wall = 1_700_000_000_000_000;
      const tested = await openEmpty({ now: () => wall });
      const organizationId = await anOrganization(tested);
      const [, second] = await store(tested, organizationId, {}, {});
      await softDelete(tested, second!);
      const from = wall - 10;
      const free = (at: number) => tested.transact(organizationId, (unit) => unit.freeTime(at));

      const ages = await tested.transact(organizationId, async (unit) => {
        const createdAt = [];
        for (let n = 0; n < 12; n += 1) {
          const updatedAt = await unit.tick();
          const memory = aMemory({ organizationId, createdAt: await unit.freeTime(from), updatedAt });
          await unit.insert(memory, indexedBy(memory));
          createdAt.push(memory.createdAt);
        }
        return createdAt;
      });

      expect(ages).toEqual([from, ...Array.from({ length: 11 }, (_, n) => second!.createdAt + 1 + n)]);
      expect(await free(from)).toBe(ages.at(-1)! + 1);
      expect(await free(from - 1)).toBe(from - 1);
    });

    test('accepts a memory with the creation time of the newest if that one was purged', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [newest] = await store(tested, organizationId, {});
      await softDelete(tested, newest!);
      await tested.transact(organizationId, async (unit) => unit.purge(newest!.id, await unit.tick()));

      const again = await tested.transact(organizationId, async (unit) => {
        const createdAt = await unit.freeTime(newest!.createdAt);
        const memory = aMemory({ organizationId, createdAt, updatedAt: await unit.tick() });
        await unit.insert(memory, indexedBy(memory));
        return memory;
      });

      expect(again.createdAt).toBe(newest!.createdAt);
      expect(await tested.memories.findById(organizationId, again.id)).toEqual(again);
    });

    test('lists memories by creation time, in whatever order they were stored', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const metadata = { kind: 'note' };
      const hour = 3_600_000_000;
      const ages = [2, 0, 5, 1, 9].map((hours) => ({ ageUs: hours * hour, metadata }));
      const stored = await store(tested, organizationId, ...ages);
      const byAge = [stored[4], stored[2], stored[0], stored[3], stored[1]];

      for (const conditions of [[], [{ key: 'kind', anyOf: ['note'] }]]) {
        const scope = { filter: { metadata: conditions }, includeDeleted: false, limit: 2 };
        const list = (query: Pick<ListQuery, 'order' | 'after' | 'since'>) =>
          tested.memories.list(organizationId, { ...scope, ...query });
        const after = { at: byAge[1]!.createdAt, id: byAge[1]!.id };
        expect(await list({ order: 'oldest' })).toEqual(byAge.slice(0, 2));
        expect(await list({ order: 'oldest', after })).toEqual(byAge.slice(2, 4));
        expect(await list({ order: 'newest' })).toEqual([byAge[4], byAge[3]]);
        expect(await list({ order: 'oldest', since: byAge[3]!.createdAt })).toEqual(byAge.slice(3));
        expect(await list({ order: 'changed' })).toEqual(stored.slice(0, 2));
      }
    });

    test('advances the clock of an organization, never back, and continues from there', async () => {
      const wall = 1_700_000_000_000_000;
      const tested = await openEmpty({ now: () => wall });
      const organizationId = await anOrganization(tested);

      const seen = await tested.transact(organizationId, async (unit) => [
        await unit.advance(wall - 9),
        await unit.advance(wall - 9),
        await unit.advance(wall - 10),
        await unit.advance(wall + 5),
        await unit.tick(),
        await unit.advance(wall + 6),
      ]);

      expect(seen).toEqual([true, false, false, true, wall + 6, false]);
    });

    test('pages through memories whose ids another organization has too', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const theirs = await store(tested, other, {}, {}, {});
      for (const { id } of theirs) {
        await tested.transact(own, async (unit) => {
          const createdAt = await unit.tick();
          const metadata = {
            documentId: 'guide',
            chunkIndex: theirs.findIndex((each) => each.id === id),
            chunkTotal: theirs.length,
          };
          const memory = aMemory({ id, organizationId: own, metadata, createdAt, updatedAt: createdAt });
          await unit.insert(memory, indexedBy(memory), { isForeign: true });
        });
      }
      const ids = theirs.map(({ id }) => id);
      const ordered = async (order: ListQuery['order']) => {
        const seen: string[] = [];
        for (let after: ListQuery['after']; ; ) {
          const [next] = await tested.memories.list(own, { ...ALL, order, limit: 1, after });
          if (!next) return seen;
          seen.push(next.id);
          after = { at: order === 'changed' || order === 'lastChanged' ? next.updatedAt : next.createdAt, id: next.id };
          expect(seen.length).toBeLessThanOrEqual(ids.length);
        }
      };

      const [first] = ids;
      const rest = await tested.documents.chunks(own, { after: { documentId: 'guide', id: first! }, limit: 9 });

      expect(rest.map(({ id }) => id)).toEqual(ids.slice(1));
      expect(await ordered('oldest')).toEqual(ids);
      expect(await ordered('changed')).toEqual(ids);
      expect(await ordered('newest')).toEqual(ids.toReversed());
      expect(await ordered('lastChanged')).toEqual(ids.toReversed());
    });

    test.each([true, false])(
      'keeps memories with the same id in two organizations apart, announced: %s',
      async (announces) => {
        const tested = await openEmpty();
        const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
        const [theirs] = await store(tested, other, { content: 'theirs' });
        const { id } = theirs!;
        const insert = (content: string) =>
          tested.transact(own, async (unit) => {
            const write = { ...indexedBy({ content }), id, scope: NO_SCOPE };
            if (announces) await unit.expect?.({ ids: [id], writes: [write] });
            const createdAt = await unit.tick();
            const memory = aMemory({ id, organizationId: own, content, createdAt, updatedAt: createdAt });
            await unit.insert(memory, indexedBy(memory), { isForeign: true });
            return memory;
          });

        const memory = await insert('ours');
        await expect(insert('once more')).rejects.toThrow(DuplicateMemoryError);
        const changed = await change(tested, memory, { content: 'changed', metadata: { kind: 'a' } }, NORTH);

        const found = { filter: { metadata: [] }, includeDeleted: false, limit: 9, vector: NORTH };
        const query = { ...found, text: 'changed', comparedTo: { vector: NORTH } };
        const { matches } = await tested.memories.matching(own, query);
        expect(matches).toMatchObject([{ memory: changed, similarity: expect.closeTo(1, 6) }]);
        expect(await tested.memories.list(own, { ...found, order: 'oldest' })).toEqual([changed]);
        await tested.transact(own, async (unit) => {
          await unit.expect?.({ ids: [id] });
          expect(await unit.findById(id)).toEqual(changed);
          expect(await unit.similarityOf(id, NORTH)).toBeCloseTo(1, 6);
        });
        expect(await tested.memories.areStored(own, [id, `${id}@${own}`, v7()])).toEqual([true, false, false]);
        expect(await tested.memories.findById(own, `${id}@${own}`)).toBeUndefined();
        const deleted = await softDelete(tested, changed);
        expect(await tested.memories.findById(own, id)).toEqual(deleted);
        expect(await tested.memories.findById(other, id)).toEqual(theirs);
      },
    );
  });
}
