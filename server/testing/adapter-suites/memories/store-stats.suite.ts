import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { anOrganization, change, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const ALL = { filter: NO_FILTER, includeDeleted: false, valuesPerFacet: 100 };

/** Tests counts of memories and of facet values. */
export function statsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: stats`, () => {
    test('counts scalar values by type, most frequent first', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const long = 'x'.repeat(1_000);
      const values = ['b', 'b', 'b', 1, 1, '1', null, null, null, null, long, long, long, long, long, [1], { a: 1 }];
      await store(tested, organizationId, ...values.map((kind) => ({ metadata: { kind } })), {});

      const stats = await tested.memories.stats(organizationId, { ...ALL, facets: ['kind', 'missing'] });

      expect(stats).toEqual({
        facets: {
          kind: [
            { value: long, count: 5 },
            { value: null, count: 4 },
            { value: 'b', count: 3 },
            { value: 1, count: 2 },
            { value: '1', count: 1 },
          ],
          missing: [],
        },
        total: 18,
        filtered: 18,
      });
    });

    test('returns at most the limit of values for a facet', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const kinds = ['rare', 'often', 'often', 'often', 'some', 'some'];
      await store(tested, organizationId, ...kinds.map((kind) => ({ metadata: { kind } })));

      const { facets } = await tested.memories.stats(organizationId, { ...ALL, facets: ['kind'], valuesPerFacet: 2 });

      expect(facets.kind).toEqual([
        { value: 'often', count: 3 },
        { value: 'some', count: 2 },
      ]);
    });

    test.each([2, 40])('counts what the filter matches, %i of 50 memories', async (matching) => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = Array.from({ length: 50 }, (_, index) => ({
        metadata: { project: index < matching ? 'p' : 'q', kind: index % 2 ? 'odd' : 'even' },
      }));
      await store(tested, organizationId, ...given);

      const stats = await tested.memories.stats(organizationId, {
        ...ALL,
        filter: { metadata: [{ key: 'project', anyOf: ['p'] }] },
        facets: ['kind', 'project'],
      });

      expect(stats.total).toBe(50);
      expect(stats.filtered).toBe(matching);
      expect(new Set(stats.facets.kind)).toEqual(
        new Set([
          { value: 'even', count: matching / 2 },
          { value: 'odd', count: matching / 2 },
        ]),
      );
      expect(stats.facets.project).toEqual([{ value: 'p', count: matching }]);
    });

    test('counts deleted memories if requested, and those of others never', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [first] = await store(tested, own, { metadata: { kind: 'a' } }, { metadata: { kind: 'a' } });
      await store(tested, other, { metadata: { kind: 'a' } });
      await softDelete(tested, first!);

      const active = await tested.memories.stats(own, { ...ALL, facets: ['kind'] });
      const all = await tested.memories.stats(own, { ...ALL, includeDeleted: true, facets: ['kind'] });
      const unknown = await tested.memories.stats(v7(), { ...ALL, facets: ['kind'] });

      expect(active).toEqual({ facets: { kind: [{ value: 'a', count: 1 }] }, total: 1, filtered: 1 });
      expect(all).toEqual({ facets: { kind: [{ value: 'a', count: 2 }] }, total: 2, filtered: 2 });
      expect(unknown).toEqual({ facets: { kind: [] }, total: 0, filtered: 0 });
    });

    test('follows every kind of change of long values, with and without deleted memories', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [long, longer] = ['x'.repeat(1_000), 'y'.repeat(1_001)];
      const [first, second, third] = await store(
        tested,
        organizationId,
        { metadata: { source: long } },
        { metadata: { source: long } },
        { metadata: { source: longer } },
      );
      const sources = async (includeDeleted: boolean) => {
        const stats = await tested.memories.stats(organizationId, { ...ALL, includeDeleted, facets: ['source'] });
        return stats.facets.source!.map(({ value, count }) => `${String(value).slice(0, 1)}${count}`).sort();
      };

      await softDelete(tested, first!);
      const deleted = [await sources(false), await sources(true)];
      await tested.transact(organizationId, async (unit) => unit.purge(first!.id, await unit.tick()));
      const purged = [await sources(false), await sources(true)];
      await change(tested, second!, { metadata: { source: longer, other: 1 } });
      await softDelete(tested, third!);
      const changed = [await sources(false), await sources(true)];
      const { deletedAt: _, ...restored } = (await tested.memories.findById(organizationId, third!.id))!;
      await tested.transact(organizationId, async (unit) => {
        await unit.update({ ...restored, metadata: {}, updatedAt: await unit.tick() });
      });

      expect(deleted).toEqual([
        ['x1', 'y1'],
        ['x2', 'y1'],
      ]);
      expect(purged).toEqual([
        ['x1', 'y1'],
        ['x1', 'y1'],
      ]);
      expect(changed).toEqual([['y1'], ['y2']]);
      expect([await sources(false), await sources(true)]).toEqual([['y1'], ['y1']]);
    });

    test('orders values with the same count by their text', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const kinds = ['é', 'b', 'a', '🐢', 'a b', 2, 10, true, null];
      await store(tested, organizationId, ...kinds.map((kind) => ({ metadata: { kind, project: 'p' } })));
      const ofProject = { metadata: [{ key: 'project', anyOf: ['p'] }] };

      const all = await tested.memories.stats(organizationId, { ...ALL, facets: ['kind'] });
      const filtered = await tested.memories.stats(organizationId, { ...ALL, filter: ofProject, facets: ['kind'] });

      const values = ['a b', 'a', 'b', 'é', '🐢', 10, 2, null, true];
      expect(all.facets.kind).toEqual(values.map((value) => ({ value, count: 1 })));
      expect(filtered.facets.kind).toEqual(all.facets.kind);
    });

    test('follows changes', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { kind: 'a' } });

      await change(tested, memory!, { metadata: { kind: 'b' } });

      const { facets } = await tested.memories.stats(organizationId, { ...ALL, facets: ['kind'] });
      expect(facets.kind).toEqual([{ value: 'b', count: 1 }]);
    });
  });
}
