import { describe, expect, test } from 'vitest';
import { type Filter, parseFilter, type WireFilter } from '../../../domain/filter/filter.js';
import { formatTimestamp } from '../../../domain/timestamp.js';
import { anOrganization, change, NORTH, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';
import { contentsBy } from './store-filters.suite.js';

const where = (conditions: NonNullable<WireFilter['where']>): Filter => parseFilter({ where: conditions }, {}, 'json');

/** Tests the conditions of `filter.where` in every kind of read. */
export function whereSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: where`, () => {
    test('compares numbers with numbers, and strings with strings by code point', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const values = [-2.5, 0, 3, 10, 1e21, '', ' ', '!', '"', '10', '3', 'a', 'a b', '\u{fffd}', '\u{1f600}'];
      const others = [true, false, null, [3], { a: 3 }];
      await store(tested, organizationId, ...[...values, ...others].map((v) => ({ metadata: { v } })), {});
      const by = async (operators: Record<string, unknown>) =>
        (await contentsBy(tested, organizationId, where({ v: operators }))).map(({ v }) => v);

      expect(await by({ gt: 3 })).toEqual([10, 1e21]);
      expect(await by({ gte: 3, lt: 1e15 })).toEqual([3, 10]);
      expect(await by({ lte: 0 })).toEqual([-2.5, 0]);
      expect(await by({ gt: 3, gte: 11 })).toEqual([1e21]);
      expect(await by({ lt: 'a' })).toEqual(['', ' ', '!', '"', '10', '3']);
      expect(await by({ gte: 'a', lte: 'a b' })).toEqual(['a', 'a b']);
      expect(await by({ gt: '\u{fffd}' })).toEqual(['\u{1f600}']);
      expect(await by({ gt: 3, lt: 'a' })).toEqual([]);
    });

    test('compares long strings in full', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const longest = '\u{1f600}'.repeat(1_024);
      const values = [longest.slice(2), longest, `${longest}!`, 'x'.repeat(30_000)];
      await store(tested, organizationId, ...values.map((v) => ({ metadata: { v } })));
      const by = async (operators: Record<string, unknown>) =>
        (await contentsBy(tested, organizationId, where({ v: operators }))).map(({ v }) => values.indexOf(v as string));

      expect(await by({ gt: longest })).toEqual([2]);
      expect(await by({ gte: longest })).toEqual([1, 2]);
      expect(await by({ lt: longest })).toEqual([0, 3]);
    });

    test('treats ne, nin and exists: false as the opposites of eq, in and exists: true', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const all = [{ v: 'a' }, { v: 1 }, { v: null }, { v: ['a'] }, { other: 'a' }];
      await store(tested, organizationId, ...all.map((metadata) => ({ metadata })));
      const by = (operators: Record<string, unknown>) => contentsBy(tested, organizationId, where({ v: operators }));
      const opposites = [
        [{ eq: 'a' }, { ne: 'a' }, 1],
        [{ in: ['a', 1, null] }, { nin: ['a', 1, null] }, 3],
        [{ eq: null }, { ne: null }, 1],
        [{ exists: true }, { exists: false }, 4],
      ] as const;

      for (const [operators, opposite, count] of opposites) {
        const found = await by(operators);
        expect(found).toHaveLength(count);
        expect(await by(opposite)).toEqual(all.filter((each) => !found.some((one) => isSame(one, each))));
      }
    });

    test('compares the times of a memory', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const stored = await store(
        tested,
        organizationId,
        ...[0, 1, 2].map((n) => ({ metadata: { n, createdAt: 'x' } })),
      );
      await change(tested, stored[0]!, { metadata: { n: 0 } });
      const [first, second, third] = stored.map(({ createdAt }) => formatTimestamp(createdAt));
      const by = async (...conditions: Parameters<typeof where>) =>
        (await contentsBy(tested, organizationId, where(...conditions))).map(({ n }) => n);

      expect(await by({ createdAt: { gt: first, lte: third } })).toEqual([1, 2]);
      expect(await by({ createdAt: { in: [first, third], ne: first } })).toEqual([2]);
      expect(await by({ createdAt: { exists: false } })).toEqual([]);
      expect(await by({ updatedAt: { gt: third } })).toEqual([0]);
      expect(await by({ updatedAt: { nin: [second] }, createdAt: { lt: third } })).toEqual([0]);
    });

    test('requires every condition, and joins them with those of match', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const numbers = Array.from({ length: 40 }, (_, n) => n);
      await store(
        tested,
        organizationId,
        ...numbers.map((n) => ({ metadata: { n, even: n % 2 === 0, third: n % 3 } })),
      );
      const filter = parseFilter(
        {
          match: { even: true },
          where: { n: { gt: 4, lt: 30, ne: 12 }, third: { in: [0, 1] }, none: { exists: false } },
        },
        {},
        'json',
      );

      const found = await contentsBy(tested, organizationId, filter);

      expect(found.map(({ n }) => n)).toEqual([6, 10, 16, 18, 22, 24, 28]);
    });

    test('follows changes of metadata, deletions and purges', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { n: 3 } });
      const counted = async (conditions: NonNullable<WireFilter['where']>, includeDeleted = false) => {
        const query = { filter: where(conditions), includeDeleted, facets: [], valuesPerFacet: 1 };
        return (await tested.memories.stats(organizationId, query)).filtered;
      };

      await change(tested, memory!, { metadata: { n: 9, m: 1 } });
      expect(await counted({ n: { lt: 9 } })).toBe(0);
      expect(await counted({ n: { gte: 9 }, m: { exists: true } })).toBe(1);

      await softDelete(tested, memory!);
      expect(await counted({ n: { gte: 9 } })).toBe(0);
      expect(await counted({ n: { ne: 1 } })).toBe(0);
      expect(await counted({ n: { gte: 9 } }, true)).toBe(1);
      expect(await counted({ n: { ne: 1 } }, true)).toBe(1);

      await tested.transact(organizationId, async (unit) => unit.purge(memory!.id, await unit.tick()));
      expect(await counted({ n: { gte: 9 } }, true)).toBe(0);
    });

    test('applies before the limit of a search', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const near = Array.from({ length: 60 }, (_, n) => ({ metadata: { n }, embedding: NORTH }));
      const far = [60, 61].map((n) => ({ metadata: { n }, content: `a rarer memory, number ${n}` }));
      await store(tested, organizationId, ...near, ...far);
      const scope = { filter: where({ n: { gte: 60 } }), includeDeleted: false, limit: 2 };

      const nearest = await tested.memories.nearest(organizationId, { ...scope, vector: NORTH });
      const { matches } = await tested.memories.matching(organizationId, { ...scope, text: 'memory' });

      for (const found of [nearest, matches])
        expect(found.map(({ memory }) => memory.metadata.n).sort()).toEqual([60, 61]);
    });
  });
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
