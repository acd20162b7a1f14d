import { describe, expect, test } from 'vitest';
import type { Filter } from '../../../domain/filter/filter.js';
import type { Metadata } from '../../../domain/memory/memory.js';
import type { Scalar } from '../../../domain/memory/scalar.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization, change, NORTH, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const ODD_KEYS = [
  '__proto__',
  'constructor',
  '$where',
  'a.b',
  '',
  'with "quotes"',
  "o'clock",
  'a:b',
  'ключ',
  '%',
  '\\',
];

/** Tests that filters mean the same in every kind of read. */
export function filtersSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: filter`, () => {
    test('compares type and value', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const values = [1, '1', true, 'true', null, 'null', 0, false, '', 1.5, '1.5', 1e21, [1], { a: 1 }];
      await store(tested, organizationId, ...values.map((value) => ({ metadata: { value } })), { metadata: {} });

      for (const value of values.filter((each) => typeof each !== 'object' || each === null)) {
        const found = await contentsBy(tested, organizationId, {
          metadata: [{ key: 'value', anyOf: [value as Scalar] }],
        });
        expect(found).toEqual([{ value }]);
      }
    });

    test.each(ODD_KEYS)('treats %j as a plain key', async (key) => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const metadata = JSON.parse(`{${JSON.stringify(key)}: "x"}`) as Metadata;
      await store(tested, organizationId, { metadata }, { metadata: { a: { b: 'x' }, other: 'x' } });

      const found = await contentsBy(tested, organizationId, { metadata: [{ key, anyOf: ['x'] }] });

      expect(JSON.stringify(found)).toBe(JSON.stringify([metadata]));
    });

    test('compares long strings in full', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const long = 'x'.repeat(5_000);
      await store(tested, organizationId, { metadata: { long: `${long}a` } }, { metadata: { long: `${long}b` } });

      const found = await contentsBy(tested, organizationId, { metadata: [{ key: 'long', anyOf: [`${long}b`] }] });

      expect(found).toEqual([{ long: `${long}b` }]);
    });

    test('matches any of several values, and none of an empty list', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, ...['a', 'b', 'c', 1].map((kind) => ({ metadata: { kind } })));
      const by = (...anyOf: Scalar[]) => contentsBy(tested, organizationId, { metadata: [{ key: 'kind', anyOf }] });

      expect(await by('a', 1, 'a', 'missing')).toEqual([{ kind: 'a' }, { kind: 1 }]);
      expect(await by()).toEqual([]);
    });

    test('requires every condition to match', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(
        tested,
        organizationId,
        { metadata: { kind: 'a', n: 1 }, subjectKey: 7, externalKey: 'k' },
        { metadata: { kind: 'a', n: 2 }, subjectKey: 7 },
        { metadata: { kind: 'a', n: 3 }, subjectKey: 8 },
        { metadata: { kind: 'b', n: 4 }, subjectKey: 7 },
        { metadata: { kind: 'a', n: 5, subjectKey: 7, externalKey: 'k' } },
      );
      const kind = { key: 'kind', anyOf: ['a'] };
      const by = async (filter: Filter) =>
        (await contentsBy(tested, organizationId, filter)).map((metadata) => metadata.n);

      expect(await by({ subjectKey: 7, metadata: [kind] })).toEqual([1, 2]);
      expect(await by({ subjectKey: 7, metadata: [kind, { key: 'n', anyOf: [2, 4] }] })).toEqual([2]);
      expect(await by({ subjectKey: 7, externalKey: 'k', metadata: [kind] })).toEqual([1]);
      expect(await by({ subjectKey: '7', metadata: [kind] })).toEqual([]);
      expect(await by({ subjectKey: 8, metadata: [{ key: 'kind', anyOf: ['b'] }] })).toEqual([]);
      expect(await by({ externalKey: 'missing', metadata: [] })).toEqual([]);
    });

    test('finds long external keys and subjects', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const long = 'k'.repeat(512);
      await store(tested, organizationId, { externalKey: long, subjectKey: long, metadata: { n: 1 } });
      await store(tested, organizationId, { externalKey: `${long.slice(1)}x`, subjectKey: `${long.slice(1)}x` });

      expect(await contentsBy(tested, organizationId, { externalKey: long, metadata: [] })).toEqual([{ n: 1 }]);
      expect(await contentsBy(tested, organizationId, { subjectKey: long, metadata: [] })).toEqual([{ n: 1 }]);
    });

    test('follows changes of metadata and keys', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { metadata: { kind: 'old', kept: 1 }, subjectKey: 1 });
      const by = (key: string, value: Scalar) =>
        contentsBy(tested, organizationId, { metadata: [{ key, anyOf: [value] }] });
      const metadata = { kind: 'new', kept: 1, added: null };

      await change(tested, memory!, { metadata, subjectKey: 2, externalKey: 'k' });

      expect(await by('kind', 'old')).toEqual([]);
      expect(await by('kind', 'new')).toEqual([metadata]);
      expect(await by('kept', 1)).toEqual([metadata]);
      expect(await by('added', null)).toEqual([metadata]);
      expect(await contentsBy(tested, organizationId, { subjectKey: 1, metadata: [] })).toEqual([]);
      expect(await contentsBy(tested, organizationId, { subjectKey: 2, externalKey: 'k', metadata: [] })).toEqual([
        metadata,
      ]);
    });
  });
}

/** Returns the metadata that every kind of read finds with a filter, after checking that they agree. */
export async function contentsBy(tested: Store, organizationId: string, filter: Filter): Promise<Metadata[]> {
  const scope = { filter, includeDeleted: false };
  const listed = await tested.memories.list(organizationId, { ...scope, order: 'oldest', limit: 50 });
  const ids = listed.map(({ id }) => id).sort();
  const byChange = await tested.memories.list(organizationId, { ...scope, order: 'changed', limit: 50 });
  const near = await tested.memories.nearest(organizationId, { ...scope, vector: NORTH, limit: 50 });
  const { matches: related } = await tested.memories.matching(organizationId, { ...scope, text: 'memory', limit: 50 });
  const { filtered } = await tested.memories.stats(organizationId, { ...scope, facets: [], valuesPerFacet: 1 });

  expect(byChange.map(({ id }) => id).sort()).toEqual(ids);
  expect(near.map(({ memory }) => memory.id).sort()).toEqual(ids);
  expect(related.map(({ memory }) => memory.id).sort()).toEqual(ids);
  expect(filtered).toBe(ids.length);
  return listed.map(({ metadata }) => metadata);
}
