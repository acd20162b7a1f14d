import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Position } from '../../../domain/page.js';
import type { ListQuery } from '../../../ports/memory-reader.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization, change, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const ACTIVE = { filter: NO_FILTER, includeDeleted: false };
const KIND_A = { metadata: [{ key: 'kind', anyOf: ['a'] }] };

/** Tests lists with every order, bound and position. */
export function listsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: list`, () => {
    test('orders by creation, ascending and descending, and by change', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [a, b, c] = await store(tested, organizationId, {}, {}, {});
      const changed = await change(tested, a!, { metadata: { changed: true } });

      const oldest = await tested.memories.list(organizationId, { ...ACTIVE, order: 'oldest', limit: 9 });
      const newest = await tested.memories.list(organizationId, { ...ACTIVE, order: 'newest', limit: 9 });
      const byChange = await tested.memories.list(organizationId, { ...ACTIVE, order: 'changed', limit: 9 });

      expect(oldest).toEqual([changed, b, c]);
      expect(newest).toEqual([c, b, changed]);
      expect(byChange).toEqual([b, c, changed]);
    });

    test('starts at a time, inclusive', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [a, b, c] = await store(tested, organizationId, {}, {}, {});
      const changed = await change(tested, a!, { metadata: {} });
      const list = (order: ListQuery['order'], since: number) =>
        tested.memories.list(organizationId, { ...ACTIVE, order, since, limit: 9 });

      expect(await list('oldest', b!.createdAt)).toEqual([b, c]);
      expect(await list('newest', b!.createdAt)).toEqual([c, b]);
      expect(await list('changed', c!.updatedAt)).toEqual([c, changed]);
      expect(await list('changed', changed.updatedAt + 1)).toEqual([]);
    });

    test('leaves out deleted memories unless requested', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [a, b] = await store(tested, organizationId, { metadata: { kind: 'a' } }, { metadata: { kind: 'a' } });
      const deleted = await softDelete(tested, a!);

      for (const filter of [NO_FILTER, KIND_A]) {
        const active = { filter, includeDeleted: false, limit: 9 };
        expect(await tested.memories.list(organizationId, { ...active, order: 'oldest' })).toEqual([b]);
        expect(await tested.memories.list(organizationId, { ...active, order: 'changed' })).toEqual([b]);
        const all = { filter, includeDeleted: true, limit: 9 };
        expect(await tested.memories.list(organizationId, { ...all, order: 'oldest' })).toEqual([deleted, b]);
        expect(await tested.memories.list(organizationId, { ...all, order: 'newest' })).toEqual([b, deleted]);
        expect(await tested.memories.list(organizationId, { ...all, order: 'changed' })).toEqual([b, deleted]);
      }
    });

    test('finds the ids of active memories that match a filter, oldest first, and their number', async () => {
      const tested = await openEmpty();
      const [organizationId, foreign] = [await anOrganization(tested), await anOrganization(tested)];
      const kinds = ['a', 'b', 'a', 'a', 'a'].map((kind) => ({ metadata: { kind }, subjectKey: 1 }));
      const [first, , third, deleted, last] = await store(tested, organizationId, ...kinds);
      await softDelete(tested, deleted!);
      await change(tested, first!, { metadata: { kind: 'a', changed: true } });
      const find = (filter: ListQuery['filter'], limit: number) =>
        tested.memories.findMatching(organizationId, filter, limit);

      expect(await find(KIND_A, 9)).toEqual({ ids: [first!.id, third!.id, last!.id], count: 3 });
      expect(await find({ ...KIND_A, subjectKey: 1 }, 2)).toEqual({ ids: [first!.id, third!.id], count: 3 });
      expect(await find({ ...KIND_A, subjectKey: 2 }, 9)).toEqual({ ids: [], count: 0 });
      expect(await tested.memories.findMatching(foreign, KIND_A, 9)).toEqual({ ids: [], count: 0 });
    });

    test('shows an organization only its own memories', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [mine] = await store(tested, own, { metadata: { kind: 'a' }, subjectKey: 1, externalKey: 'k' });
      await store(tested, other, { metadata: { kind: 'a' }, subjectKey: 1, externalKey: 'k' });

      for (const filter of [NO_FILTER, KIND_A, { subjectKey: 1, metadata: [] }, { externalKey: 'k', metadata: [] }]) {
        for (const order of ['oldest', 'newest', 'changed'] as const) {
          const query = { filter, includeDeleted: true, order, limit: 9 };
          expect(await tested.memories.list(own, query)).toEqual([mine]);
          expect(await tested.memories.list(v7(), query)).toEqual([]);
        }
      }
    });

    test.each([
      ['oldest', NO_FILTER],
      ['newest', NO_FILTER],
      ['changed', NO_FILTER],
      ['oldest', KIND_A],
      ['newest', KIND_A],
      ['changed', KIND_A],
      ['newest', { metadata: [{ key: 'kind', anyOf: ['a', 'b'] }] }],
    ] as const)('pages by %s under %j without a gap or a repetition', async (order, filter) => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = Array.from({ length: 25 }, (_, index) => ({ metadata: { kind: index % 2 ? 'a' : 'b' } }));
      const stored = await store(tested, organizationId, ...given);
      for (const memory of [stored[3]!, stored[20]!]) await change(tested, memory, { metadata: { kind: 'a' } });
      await softDelete(tested, stored[7]!);

      for (const includeDeleted of [false, true]) {
        const query = { filter, includeDeleted, order };
        const whole = await tested.memories.list(organizationId, { ...query, limit: 100 });
        const paged = await readPages(tested, organizationId, query, 4);
        expect(paged).toEqual(whole);
        expect(whole.length).toBeGreaterThan(10);
      }
    });

    test('continues from a position whose memory was changed or deleted since', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [a, b, c] = await store(tested, organizationId, {}, {}, {});
      const position = { at: b!.createdAt, id: b!.id };
      await softDelete(tested, b!);
      const list = (order: ListQuery['order'], after: Position) =>
        tested.memories.list(organizationId, { ...ACTIVE, order, after, limit: 9 });

      expect(await list('oldest', position)).toEqual([c]);
      expect(await list('newest', position)).toEqual([a]);
      expect(await list('changed', position)).toEqual([c]);
    });

    test('breaks ties by id, in every order', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { kind: 'a' } });
      const [low, high] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
      const at = memory!.createdAt;

      for (const filter of [NO_FILTER, KIND_A]) {
        const list = (order: ListQuery['order'], id: string) =>
          tested.memories.list(organizationId, { filter, includeDeleted: false, order, after: { at, id }, limit: 9 });
        expect([await list('oldest', low), await list('oldest', high)]).toEqual([[memory], []]);
        expect([await list('newest', low), await list('newest', high)]).toEqual([[], [memory]]);
        expect([await list('changed', low), await list('changed', high)]).toEqual([[memory], []]);
      }
    });

    test('shows a reader of changes every change that eight writers make', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const seen = new Map<string, number>();
      let after: Position | undefined;
      const poll = async () => {
        const page = await tested.memories.list(organizationId, {
          ...ACTIVE,
          order: 'changed',
          limit: 7,
          ...(after && { after }),
        });
        for (const { id, updatedAt } of page) seen.set(id, updatedAt);
        const last = page.at(-1);
        if (last) after = { at: last.updatedAt, id: last.id };
        return page.length;
      };
      const written = new Map<string, number>();
      const write = async () => {
        for (let round = 0; round < 12; round += 1) {
          const [memory] = await store(tested, organizationId, {});
          const { updatedAt } = round % 3 ? memory! : await change(tested, memory!, { metadata: { round } });
          written.set(memory!.id, updatedAt);
        }
      };

      let isWriting = true;
      const writing = Promise.all(Array.from({ length: 8 }, write)).finally(() => {
        isWriting = false;
      });
      while (isWriting) {
        await poll();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
      while ((await poll()) > 0);

      expect(seen).toEqual(written);
    });

    test('ends a page after the first memory that exceeds `maxBytes`, but not before the second', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(100));
      const stored = await store(tested, organizationId, ...contents.map((content) => ({ content })));
      const list = (order: ListQuery['order'], maxBytes: number, filter = {}) =>
        tested.memories.list(organizationId, { ...ACTIVE, ...filter, order, maxBytes, limit: 9 });

      for (const order of ['oldest', 'changed'] as const) {
        expect(await list(order, 1)).toEqual(stored.slice(0, 2));
        expect(await list(order, 204)).toEqual(stored.slice(0, 3));
        expect(await list(order, 1_000, { includeDeleted: true })).toEqual(stored);
      }
      expect(await list('newest', 1, { includeDeleted: true })).toEqual(stored.slice(2).reverse());
    });
  });
}

async function readPages(
  tested: Store,
  organizationId: string,
  query: Omit<ListQuery, 'limit' | 'after'>,
  limit: number,
): Promise<Memory[]> {
  const read: Memory[] = [];
  let after: Position | undefined;
  for (;;) {
    const page = await tested.memories.list(organizationId, { ...query, limit, ...(after && { after }) });
    read.push(...page);
    const last = page.at(-1);
    if (!last) return read;
    after = { at: query.order === 'changed' ? last.updatedAt : last.createdAt, id: last.id };
  }
}
