import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { bucketStarts, type Interval } from '../../../domain/memory/buckets.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Position } from '../../../domain/page.js';
import type { HistogramQuery, ListQuery } from '../../../ports/memory-reader.js';
import type { Store } from '../../../ports/store.js';
import { aMemory, anOrganization, change, indexedBy, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const ACTIVE = { filter: NO_FILTER, includeDeleted: false } as const;
const KIND_A = { metadata: [{ key: 'kind', anyOf: ['a'] }] };
const FILTERS = [NO_FILTER, KIND_A];

const at = (iso: string) => Date.parse(iso) * 1_000;

/** Tests lists as people browse them, and counts by interval. */
export function browsingSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: browsing`, () => {
    test('lists the last change first, and pages without a gap or a repetition', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = Array.from({ length: 25 }, () => ({ metadata: { kind: 'a' } }));
      const stored = await store(tested, organizationId, ...given);
      for (const index of [3, 20]) await change(tested, stored[index]!, { metadata: { kind: 'a', index } });
      await softDelete(tested, stored[7]!);

      for (const filter of FILTERS) {
        const query = { filter, includeDeleted: true, order: 'lastChanged' } as const;
        const oldestFirst = await tested.memories.list(organizationId, { ...query, order: 'changed', limit: 99 });
        const read: Memory[] = [];
        let after: Position | undefined;
        do {
          const page = await tested.memories.list(organizationId, { ...query, limit: 4, ...(after && { after }) });
          read.push(...page);
          const last = page.at(-1);
          after = last && { at: last.updatedAt, id: last.id };
        } while (after);
        expect(read).toEqual(oldestFirst.toReversed());
        expect(read).toHaveLength(25);
      }
    });

    test('ends before a time, in every order, under every filter', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = ['a', 'a', 'b', 'a', 'a'].map((kind) => ({ metadata: { kind } }));
      const [first, second, , fourth] = await store(tested, organizationId, ...given);
      const list = async (query: Pick<ListQuery, 'filter' | 'order' | 'since' | 'until'>) =>
        (await tested.memories.list(organizationId, { ...query, includeDeleted: false, limit: 9 })).map(({ id }) => id);
      const [since, until] = [second!.createdAt, fourth!.createdAt];

      for (const order of ['oldest', 'newest', 'changed', 'lastChanged'] as const) {
        expect(await list({ filter: KIND_A, order, since, until })).toEqual([second!.id]);
        expect(await list({ filter: NO_FILTER, order, until: second!.createdAt })).toEqual([first!.id]);
        expect(await list({ filter: KIND_A, order, until: first!.createdAt })).toEqual([]);
        expect(await list({ filter: KIND_A, order, since: until + 1_000_000 })).toEqual([]);
      }
    });

    test('lists only deleted memories if requested', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = Array.from({ length: 3 }, () => ({ metadata: { kind: 'a' } }));
      const [first, , third] = await store(tested, organizationId, ...given);
      const deleted = [await softDelete(tested, third!), await softDelete(tested, first!)];

      for (const filter of FILTERS) {
        const query = { filter, includeDeleted: 'only', limit: 9 } as const;
        expect(await tested.memories.list(organizationId, { ...query, order: 'oldest' })).toEqual(deleted.toReversed());
        expect(await tested.memories.list(organizationId, { ...query, order: 'changed' })).toEqual(deleted);
      }
    });

    test('leaves out tombstones if requested', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [purged, kept] = await store(tested, organizationId, {}, {});
      await softDelete(tested, purged!);
      await tested.transact(organizationId, async (unit) => unit.purge(purged!.id, await unit.tick()));

      const query = { filter: NO_FILTER, includeDeleted: true, order: 'changed', limit: 9 } as const;
      expect(await tested.memories.list(organizationId, query)).toHaveLength(2);
      expect(await tested.memories.list(organizationId, { ...query, memoriesOnly: true })).toEqual([kept]);
    });

    test('cuts contents to a number of code points, and returns their whole length', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const contents = ['😀😀😀😀', 'short', 'é'.repeat(10_000)];
      const stored = await store(tested, organizationId, ...contents.map((content) => ({ content })));

      const listed = await tested.memories.list(organizationId, { ...ACTIVE, order: 'oldest', limit: 9, preview: 3 });

      expect(listed).toEqual([
        { ...stored[0], content: '😀😀😀', contentLength: 4 },
        { ...stored[1], content: 'sho', contentLength: 5 },
        { ...stored[2], content: 'ééé', contentLength: 10_000 },
      ]);
    });

    test('bounds a page of cut contents by what it returns', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = ['a', 'b', 'c', 'd'].map((letter) => ({ content: letter.repeat(1_000), metadata: { letter } }));
      const stored = await store(tested, organizationId, ...given);
      const list = async (maxBytes: number) => {
        const query = { ...ACTIVE, order: 'oldest', limit: 9, preview: 10, maxBytes } as const;
        return (await tested.memories.list(organizationId, query)).map(({ id }) => id);
      };
      const bytes = 10 + JSON.stringify({ letter: 'a' }).length;

      expect(await list(4 * bytes)).toEqual(stored.map(({ id }) => id));
      expect(await list(2 * bytes)).toEqual(stored.slice(0, 3).map(({ id }) => id));
      expect(await list(1)).toEqual(stored.slice(0, 2).map(({ id }) => id));
    });
  });

  describe(`${name}: histogram`, () => {
    test('counts by hour, day and month of UTC, with empty intervals', async () => {
      const tested = await openEmpty();
      const times = [
        '2024-01-31T23:59:59.999Z',
        '2024-02-01T00:00:00Z',
        '2024-02-29T12:00:00Z',
        '1969-12-31T23:30:00Z',
      ];
      const organizationId = await withTimes(tested, times);
      const count = async (interval: Interval, since: string, until: string) =>
        (await tested.memories.histogram(organizationId, histogram(interval, since, until))).counts;

      expect(await count('hour', '2024-01-31T22:00:00Z', '2024-02-01T02:00:00Z')).toEqual([0, 1, 1, 0]);
      expect(await count('day', '2024-01-31', '2024-02-03')).toEqual([1, 1, 0]);
      expect(await count('month', '2023-12-15', '2024-03-15')).toEqual([0, 1, 2, 0]);
      expect(await count('hour', '1969-12-31T22:00:00Z', '1970-01-01T01:00:00Z')).toEqual([0, 1, 0]);
      expect(await count('month', '1969-12-31', '1970-01-02')).toEqual([1, 0]);
      expect(await count('day', '2024-02-01', '2024-02-01')).toEqual([]);
    });

    test('counts nothing before `since` or from `until` on, even in the same interval', async () => {
      const tested = await openEmpty();
      const organizationId = await withTimes(tested, [
        '2024-02-01T08:00:00Z',
        '2024-02-01T09:00:00Z',
        '2024-02-01T10:00:00Z',
      ]);
      const query = histogram('day', '2024-02-01T09:00:00Z', '2024-02-01T10:00:00Z');

      expect(await tested.memories.histogram(organizationId, query)).toEqual({ counts: [1] });
    });

    test('splits the counts by the most frequent values of a metadata key', async () => {
      const tested = await openEmpty();
      const long = 'x'.repeat(1_000);
      const kinds = ['b', long, 'b', long, long, 1, ['no scalar'], undefined];
      const organizationId = await withTimes(
        tested,
        kinds.map((_, index) => `2024-02-0${(index % 2) + 1}T0${index}:00:00Z`),
        kinds.map((kind) => (kind === undefined ? {} : { kind })),
      );
      const query = histogram('day', '2024-02-01', '2024-02-03');

      expect(await tested.memories.histogram(organizationId, { ...query, facet: { key: 'kind', values: 2 } })).toEqual({
        counts: [4, 4],
        series: [
          { value: long, count: 3, counts: [1, 2] },
          { value: 'b', count: 2, counts: [2, 0] },
        ],
      });
      expect(await tested.memories.histogram(organizationId, { ...query, facet: { key: 'none', values: 2 } })).toEqual({
        counts: [4, 4],
        series: [],
      });
    });

    test('counts what the scope selects, and no other organization', async () => {
      const tested = await openEmpty();
      const times = ['2024-02-01', '2024-02-02', '2024-02-02'];
      const organizationId = await withTimes(tested, times, [{ kind: 'a' }, { kind: 'a' }, { kind: 'b' }]);
      await withTimes(tested, times, [{ kind: 'a' }, { kind: 'a' }, { kind: 'a' }]);
      const [first] = await tested.memories.list(organizationId, { ...ACTIVE, order: 'oldest', limit: 1 });
      const deleted = await softDelete(tested, first!);
      const query = { ...histogram('day', '2024-02-01', '2024-02-03'), facet: { key: 'kind', values: 9 } };
      const count = (scope: Partial<HistogramQuery>) =>
        tested.memories.histogram(organizationId, { ...query, ...scope });

      expect(await count({ filter: KIND_A })).toEqual({
        counts: [0, 1],
        series: [{ value: 'a', count: 1, counts: [0, 1] }],
      });
      expect(await count({ filter: KIND_A, includeDeleted: true })).toMatchObject({ counts: [1, 1] });
      expect(await count({ filter: KIND_A, includeDeleted: 'only' })).toMatchObject({ counts: [1, 0] });
      const { updatedAt } = deleted;
      const changed = { time: 'updatedAt', since: updatedAt, until: updatedAt + 1, includeDeleted: 'only' } as const;
      expect(await count({ ...changed, starts: [updatedAt], interval: 'day' })).toMatchObject({ counts: [1] });
      expect(await tested.memories.histogram(v7(), query)).toEqual({ counts: [0, 0], series: [] });
    });
  });
}

function histogram(interval: Interval, since: string, until: string): HistogramQuery {
  const bounds = { since: at(since), until: at(until) };
  const starts = bucketStarts(interval, bounds.since, bounds.until);
  return { ...ACTIVE, time: 'createdAt', ...bounds, interval, starts };
}

/** Stores memories that were created at these times, as an import does. */
async function withTimes(
  tested: Store,
  times: readonly string[],
  metadata: readonly Memory['metadata'][] = [],
): Promise<string> {
  const organizationId = await anOrganization(tested);
  await tested.transact(organizationId, async (unit) => {
    for (const [index, time] of times.entries()) {
      const createdAt = await unit.freeTime(at(time));
      const memory = aMemory({
        organizationId,
        createdAt,
        updatedAt: await unit.tick(),
        metadata: metadata[index] ?? {},
      });
      await unit.insert(memory, indexedBy(memory));
    }
  });
  return organizationId;
}
