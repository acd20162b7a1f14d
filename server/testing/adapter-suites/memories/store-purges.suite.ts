import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { Memory } from '../../../domain/memory/memory.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization, NORTH, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const EVERYTHING = { filter: NO_FILTER, includeDeleted: true };
const KIND_B = { metadata: [{ key: 'kind', anyOf: ['b'] }] };

/** Tests what a purge of a deleted memory removes, and what it keeps. */
export function purgesSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: purge`, () => {
    test('removes the memory from every read', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = { metadata: { kind: 'a' }, externalKey: 'k', subjectKey: 1 };
      const [kept, memory] = await store(tested, organizationId, { content: 'other' }, { content: 'zebra', ...given });
      await softDelete(tested, memory!);

      await purge(tested, memory!);

      const { memories } = tested;
      expect(await memories.findById(organizationId, memory!.id)).toBeUndefined();
      expect(await memories.list(organizationId, { ...EVERYTHING, order: 'oldest', limit: 9 })).toEqual([kept]);
      const stats = await memories.stats(organizationId, { ...EVERYTHING, facets: ['kind'], valuesPerFacet: 9 });
      expect(stats).toEqual({ total: 1, filtered: 1, facets: { kind: [] } });
      const near = await memories.nearest(organizationId, { ...EVERYTHING, vector: NORTH, limit: 9 });
      expect(near.map((match) => match.memory)).toEqual([kept]);
      expect(await memories.matching(organizationId, { ...EVERYTHING, text: 'zebra', limit: 9 })).toMatchObject({
        matches: [],
      });
      await tested.transact(organizationId, async (unit) => {
        expect(await unit.findByExternalKey('k', memory!.scope)).toBeUndefined();
        expect(await unit.anySubjectKey()).toBe(false);
      });
    });

    test('leaves a tombstone in the list of changes, unless that is filtered', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { kind: 'a' }, externalKey: 'k' });
      const { deletedAt } = await softDelete(tested, memory!);
      const at = await purge(tested, memory!);
      const [later] = await store(tested, organizationId, { metadata: { kind: 'b' } });
      const list = (query: object) =>
        tested.memories.list(organizationId, { ...EVERYTHING, order: 'changed', limit: 9, ...query });

      const [tombstone, ...rest] = await list({});

      expect(tombstone).toEqual({
        id: memory!.id,
        organizationId,
        content: '',
        metadata: {},
        scope: { source: '', project: '' },
        createdAt: memory!.createdAt,
        updatedAt: at,
        deletedAt,
        purgedAt: at,
      });
      expect(rest).toEqual([later]);
      expect(await list({ filter: KIND_B })).toEqual([later]);
      expect(await list({ since: at })).toEqual([tombstone, later]);
      expect(await list({ since: at + 1 })).toEqual([later]);
      expect(await list({ after: { at, id: memory!.id } })).toEqual([later]);
      expect(await list({ limit: 1 })).toEqual([tombstone]);
      expect(await list({ includeDeleted: false })).toEqual([later]);
      const foreign = await anOrganization(tested);
      expect(await tested.memories.list(foreign, { ...EVERYTHING, order: 'changed', limit: 9 })).toEqual([]);
    });

    test('keeps a tombstone behind memories that did not fit into the page', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = ['a', 'b', 'c', 'd'].map((letter) => ({ content: letter.repeat(1_000) }));
      const [gone, ...rest] = await store(tested, organizationId, ...given);
      await softDelete(tested, gone!);
      await purge(tested, gone!);

      const page = await tested.memories.list(organizationId, {
        ...EVERYTHING,
        order: 'changed',
        limit: 9,
        maxBytes: 1_500,
      });

      expect(page).toEqual(rest.slice(0, 2));
    });

    test('refuses to purge an active memory or one of another organization', async () => {
      const tested = await openEmpty();
      const [own, foreign] = [await anOrganization(tested), await anOrganization(tested)];
      const [memory] = await store(tested, own, {});

      await expect(purge(tested, memory!)).rejects.toThrow();
      await softDelete(tested, memory!);
      const purging = tested.transact(foreign, async (unit) => unit.purge(memory!.id, await unit.tick()));
      await expect(purging).rejects.toThrow();

      expect(await tested.memories.findById(own, memory!.id)).toHaveProperty('deletedAt');
    });

    test('never finds a purged memory through the data of a later one', async () => {
      let tested = await openEmpty();
      const [own, foreign] = [await anOrganization(tested), await anOrganization(tested)];
      const [memory] = await store(tested, own, { content: 'mine' });
      await tested.memories.nearest(own, { ...EVERYTHING, vector: NORTH, limit: 9 });
      if (reopen) tested = await reopen(tested);
      await softDelete(tested, memory!);
      await purge(tested, memory!);
      await store(tested, foreign, { content: 'theirs' });
      if (reopen) tested = await reopen(tested);

      expect(await tested.memories.nearest(own, { ...EVERYTHING, vector: NORTH, limit: 9 })).toEqual([]);
      expect(await tested.memories.matching(own, { ...EVERYTHING, text: 'mine theirs', limit: 9 })).toMatchObject({
        matches: [],
      });
    });

    test('finds memories deleted before a time, earliest first', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [a, b, c] = await store(tested, organizationId, {}, {}, {});
      const last = await softDelete(tested, b!);
      await softDelete(tested, a!);
      const find = (before: number, limit = 9) => tested.memories.findDeleted(organizationId, before, limit);

      expect(await find(Number.MAX_SAFE_INTEGER)).toEqual([b!.id, a!.id]);
      expect(await find(Number.MAX_SAFE_INTEGER, 1)).toEqual([b!.id]);
      expect(await find(last.deletedAt!)).toEqual([]);
      expect(await find(last.deletedAt! + 1)).toEqual([b!.id]);
      expect(await tested.memories.findDeleted(v7(), Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
      expect(c).not.toHaveProperty('deletedAt');
    });
  });
}

/** Purges a memory, and returns the time of the purge. */
function purge(tested: Store, { organizationId, id }: Memory): Promise<number> {
  return tested.transact(organizationId, async (unit) => {
    const at = await unit.tick();
    await unit.purge(id, at);
    return at;
  });
}
