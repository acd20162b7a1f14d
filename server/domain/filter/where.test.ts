import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import type { Metadata } from '../memory/memory.js';
import { parseTimestamp } from '../timestamp.js';
import { isEmptyFilter, parseFilter } from './filter.js';
import { meetsFilter } from './memory-facets.js';
import { valuesOf } from './metadata-values.js';

const json = (where: unknown) => parseFilter({ where } as never, {}, 'json');
const brackets = (where: unknown) => parseFilter({ where } as never, {}, 'brackets');

describe('where', () => {
  test('joins equalities with those of match', () => {
    expect(json({ kind: { eq: 'a' }, n: { in: [1, null] } })).toEqual({
      metadata: [
        { key: 'kind', anyOf: ['a'] },
        { key: 'n', anyOf: [1, null] },
      ],
    });
    const filter = parseFilter({ kind: 'a', where: { kind: { in: ['a', 'b'], eq: 'b' } } }, {}, 'json');
    expect(filter).toEqual({ metadata: [{ key: 'kind', anyOf: [] }] });
    expect(isEmptyFilter(filter)).toBe(false);
  });

  test('joins two bounds of one type', () => {
    const above = { value: 1, inclusive: false };
    expect(json({ n: { gt: 1, lte: 2 } }).where).toEqual([
      { kind: 'range', key: 'n', above, below: { value: 2, inclusive: true } },
    ]);
    expect(json({ n: { gt: 1, lte: 'x' } }).where).toEqual([
      { kind: 'range', key: 'n', above },
      { kind: 'range', key: 'n', below: { value: 'x', inclusive: true } },
    ]);
  });

  test('keeps the opposites as conditions of their own', () => {
    expect(json({ n: { ne: 1, nin: ['a', false], exists: true } }).where).toEqual([
      { kind: 'noneOf', key: 'n', values: [1] },
      { kind: 'noneOf', key: 'n', values: ['a', false] },
      { kind: 'exists', key: 'n', exists: true },
    ]);
  });

  test('reads times of the memory in microseconds', () => {
    const at = parseTimestamp('2026-05-01', 'at');
    const field = 'createdAt';
    const time = (operators: unknown) => json({ createdAt: operators }).where;

    expect(time({ gt: '2026-05-01', lte: '2026-05-01T01:00:00+01:00' })).toEqual([
      { kind: 'time', field, from: at + 1, before: at + 1 },
    ]);
    expect(time({ gte: '2026-05-01', lt: '2026-05-01' })).toEqual([{ kind: 'time', field, from: at, before: at }]);
    expect(time({ eq: '2026-05-01', in: ['2026-05-02'] })).toEqual([{ kind: 'time', field, anyOf: [] }]);
    expect(time({ ne: '2026-05-01', nin: ['2026-05-01'] })).toEqual([{ kind: 'time', field, noneOf: [at, at] }]);
    expect(time({ exists: false })).toEqual([{ kind: 'time', field, anyOf: [] }]);
    expect(isEmptyFilter(json({ updatedAt: { exists: true } }))).toBe(true);
  });

  test('compares a text in brackets that is a number with numbers', () => {
    expect(brackets({ n: { gte: '3' } })).toEqual(json({ n: { gte: 3 } }));
    expect(brackets({ n: { gte: '2026-05' } })).toEqual(json({ n: { gte: '2026-05' } }));
    expect(brackets({ n: { in: 'a,3' } })).toEqual(json({ n: { in: ['a', '3', 3] } }));
    expect(brackets({ n: { ne: 'true' } })).toEqual(json({ n: { nin: ['true', true] } }));
    expect(brackets({ n: { exists: 'false' } })).toEqual(json({ n: { exists: false } }));
    expect(brackets({ createdAt: { gte: '2026-05-01' } })).toEqual(json({ createdAt: { gte: '2026-05-01' } }));
  });

  test.each<[string, unknown, string]>([
    ['a condition that is no object', [], 'filter.where'],
    ['operators that are no object', { n: 3 }, 'filter.where.n'],
    ['no operator', { n: {} }, 'filter.where.n'],
    ['an unknown operator', { n: { like: 'x' } }, 'filter.where.n.like'],
    ['a key of Object.prototype as an operator', { n: { constructor: 1 } }, 'filter.where.n.constructor'],
    ['an empty key', { '': { eq: 1 } }, 'filter.where'],
    ['a long key', { ['k'.repeat(257)]: { eq: 1 } }, 'filter.where'],
    ['the key of a field', { externalKey: { eq: 'x' } }, 'filter.where.externalKey'],
    ['an order of booleans', { n: { gt: true } }, 'filter.where.n.gt'],
    ['an order of null', { n: { lte: null } }, 'filter.where.n.lte'],
    ['an object', { n: { eq: {} } }, 'filter.where.n.eq'],
    ['a value that is no list', { n: { in: 'x' } }, 'filter.where.n.in'],
    ['an empty list', { n: { nin: [] } }, 'filter.where.n.nin'],
    ['a long list', { n: { in: Array.from({ length: 101 }, (_, n) => n) } }, 'filter.where.n.in'],
    ['a list in a list', { n: { in: [[1]] } }, 'filter.where.n.in'],
    ['a large number', { n: { gt: 2 ** 53 } }, 'filter.where.n.gt'],
    ['a long string', { n: { gt: 'x'.repeat(1_025) } }, 'filter.where.n.gt'],
    ['a zero character', { n: { gt: '\0' } }, 'filter.where.n.gt'],
    ['an existence that is no boolean', { n: { exists: 'true' } }, 'filter.where.n.exists'],
    ['a time that is none', { createdAt: { gt: 3 } }, 'filter.where.createdAt.gt'],
  ])('rejects %s and names it', (_, where, path) => {
    expect(() => json(where)).toThrow(refusedAt(path));
  });

  test('counts its keys with those of match', () => {
    const keys = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
    const match = Object.fromEntries(keys(10, 'm').map((key) => [key, 1]));
    const where = (count: number) => Object.fromEntries(keys(count, 'w').map((key) => [key, { gt: 1 }]));

    expect(parseFilter({ match, where: where(10) }, {}, 'json').where).toHaveLength(10);
    expect(() => parseFilter({ match, where: where(11) }, {}, 'json')).toThrow(refusedAt('filter'));
  });
});

describe('meetsFilter', () => {
  test.each<[unknown, Metadata, boolean]>([
    [{ n: { gte: 3, lt: 5 } }, { n: 3 }, true],
    [{ n: { gte: 3, lt: 5 } }, { n: 5 }, false],
    [{ n: { gt: 3 } }, { n: '4' }, false],
    [{ n: { gt: '\u{fffd}' } }, { n: '\u{1f600}' }, true],
    [{ n: { lte: 'b' } }, { n: 'ba' }, false],
    [{ n: { ne: 3 } }, {}, true],
    [{ n: { ne: 3 } }, { n: 3 }, false],
    [{ n: { nin: [3] } }, { n: [3] }, true],
    [{ n: { exists: true } }, { n: { deep: 1 } }, true],
    [{ n: { exists: true } }, {}, false],
    [{ toString: { exists: false } }, {}, true],
    [{ createdAt: { gte: '1970-01-01T00:00:00.000005Z' }, updatedAt: { ne: '1970-01-01T00:00:00.000006Z' } }, {}, true],
    [{ createdAt: { lt: '1970-01-01T00:00:00.000005Z' } }, {}, false],
    [{ createdAt: { in: ['1970-01-01'] } }, {}, false],
  ])('%j with %j: %s', (where, metadata, isMet) => {
    const memory = { metadata, createdAt: 5, updatedAt: 7 } as Parameters<typeof meetsFilter>[0];

    expect(meetsFilter(memory, json(where))).toBe(isMet);
  });
});

describe('valuesOf', () => {
  test('keeps numbers and strings, and the keys of other values', () => {
    const metadata = { n: 1.5, s: 'x', b: true, none: null, list: ['x'], deep: {}, '': 1, ['k'.repeat(257)]: 1 };

    expect(valuesOf(metadata)).toEqual([
      { key: 'n', value: 1.5 },
      { key: 's', value: 'x' },
      ...['b', 'none', 'list', 'deep'].map((key) => ({ key, value: null })),
    ]);
  });

  test('cuts strings after 1,025 code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1_000, maxLength: 1_100 }), (text) => {
        expect(valuesOf({ text })).toEqual([{ key: 'text', value: [...text].slice(0, 1_025).join('') }]);
      }),
    );
  });
});
