import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import type { Metadata } from './memory.js';
import { mergeMetadata, parseMetadata, sameMetadata } from './metadata.js';

const key = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== '__proto__' && !name.includes('\0'));
const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer()));
const metadata = fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value, { noNullPrototype: true })), {
  maxKeys: 10,
  noNullPrototype: true,
});

function nested(levels: number): unknown {
  return levels === 0 ? 'leaf' : { inner: nested(levels - 1) };
}

function keyed(count: number): Metadata {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
}

describe('parseMetadata', () => {
  test('returns every JSON object within the limits', () => {
    fc.assert(
      fc.property(metadata, (given) => {
        fc.pre(!JSON.stringify(given).includes('\\u0000'));

        expect(parseMetadata(given)).toEqual(given);
      }),
    );
  });

  test('returns a copy that later changes to the argument do not affect', () => {
    const given = { tags: ['a'] };

    const parsed = parseMetadata(given);
    given.tags.push('b');

    expect(parsed).toEqual({ tags: ['a'] });
  });

  test.each([
    ['null', null],
    ['an array', []],
    ['a string', '{}'],
    ['a date', new Date(0)],
  ])('rejects %s instead of an object', (_, given) => {
    expect(() => parseMetadata(given)).toThrow(refusedAt('metadata'));
  });

  test.each(['externalKey', 'subjectKey'])('rejects the top-level field %s and names its place', (field) => {
    expect(() => parseMetadata({ [field]: 'x' })).toThrow(refusedAt(`metadata.${field}`));
    expect(() => parseMetadata({ [field]: 'x' })).toThrow(`top-level field ${field}`);
    expect(parseMetadata({ inner: { [field]: 'x' } })).toEqual({ inner: { [field]: 'x' } });
  });

  test('rejects an own key __proto__ at any level and changes no prototype', () => {
    const outer: unknown = JSON.parse('{"__proto__": {"polluted": 1}}');
    const inner: unknown = JSON.parse('{"a": [{"__proto__": {"polluted": 1}}]}');

    expect(() => parseMetadata(outer)).toThrow(refusedAt('metadata'));
    expect(() => parseMetadata(inner)).toThrow(refusedAt('metadata.a.0'));
  });

  test('accepts the key constructor', () => {
    const parsed = parseMetadata(JSON.parse('{"constructor": {"prototype": 1}}'));

    expect(JSON.stringify(parsed)).toBe('{"constructor":{"prototype":1}}');
  });

  test('accepts at most 8 levels, even if the value is very deep', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);

    expect(parseMetadata(nested(8))).toEqual(nested(8));
    expect(() => parseMetadata(nested(9))).toThrow(refusedAt(`metadata${'.inner'.repeat(8)}`));
    expect(() => parseMetadata(deep)).toThrow(refusedAt(`metadata${'.a'.repeat(8)}`));
  });

  test('accepts at most 256 keys, including nested ones', () => {
    expect(parseMetadata({ nested: keyed(255) })).toEqual({ nested: keyed(255) });
    expect(() => parseMetadata({ nested: keyed(256) })).toThrow(refusedAt('metadata.nested'));
  });

  test('accepts at most 64 KiB of JSON, counted in bytes', () => {
    const overhead = '{"a":""}'.length;
    const fits = 'é'.repeat((65_536 - overhead) / 2);

    expect(parseMetadata({ a: fits })).toEqual({ a: fits });
    expect(() => parseMetadata({ a: `${fits}x` })).toThrow(refusedAt('metadata'));
  });

  test.each([
    ['an empty key', { '': 1 }, 'metadata'],
    ['a key of 257 characters', { ['😀'.repeat(257)]: 1 }, 'metadata'],
    ['half of a surrogate pair in a key', { '\ud800': 1 }, 'metadata'],
    ['U+0000 in a nested key', { a: { 'b\0': 1 } }, 'metadata.a'],
    ['U+0000 in a value', { a: ['x', 'y\0'] }, 'metadata.a.1'],
    ['half of a surrogate pair in a value', { a: '\udc00' }, 'metadata.a'],
    ['a number that JSON cannot hold', { a: Number.NaN }, 'metadata.a'],
    ['undefined', { a: undefined }, 'metadata.a'],
    ['a date', { a: new Date(0) }, 'metadata.a'],
  ])('rejects %s', (_, given, path) => {
    expect(() => parseMetadata(given)).toThrow(refusedAt(path));
  });

  test('accepts keys of 256 characters', () => {
    const given = { ['😀'.repeat(256)]: 1 };

    expect(parseMetadata(given)).toEqual(given);
  });
});

describe('mergeMetadata', () => {
  test('returns the keys of both, with the incoming value if both have a key', () => {
    fc.assert(
      fc.property(metadata, metadata, (current, incoming) => {
        const merged = mergeMetadata(current, incoming);

        expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(current), ...Object.keys(incoming)]));
        for (const name of Object.keys(merged)) {
          expect(merged[name]).toEqual(Object.hasOwn(incoming, name) ? incoming[name] : current[name]);
        }
      }),
    );
  });

  test('is associative, and changes nothing if the incoming metadata is empty or equal', () => {
    fc.assert(
      fc.property(metadata, metadata, metadata, (a, b, c) => {
        expect(mergeMetadata(mergeMetadata(a, b), c)).toEqual(mergeMetadata(a, mergeMetadata(b, c)));
        expect(mergeMetadata(a, {})).toEqual(a);
        expect(mergeMetadata({}, a)).toEqual(a);
        expect(mergeMetadata(mergeMetadata(a, b), b)).toEqual(mergeMetadata(a, b));
      }),
    );
  });

  test('merges only top-level keys and keeps nulls', () => {
    const merged = mergeMetadata({ nested: { old: 1 }, kept: 1, cleared: 1 }, { nested: { new: 1 }, cleared: null });

    expect(merged).toEqual({ nested: { new: 1 }, kept: 1, cleared: null });
  });

  test('rejects a result over a limit that neither of the two exceeds', () => {
    const half = 'x'.repeat(40_000);

    expect(() => mergeMetadata(keyed(256), { other: 1 })).toThrow(refusedAt('metadata'));
    expect(() => mergeMetadata({ a: half }, { b: half })).toThrow(refusedAt('metadata'));
    expect(mergeMetadata({ a: half }, { a: half })).toEqual({ a: half });
  });
});

describe('sameMetadata', () => {
  test('compares as JSON, whatever the order of keys', () => {
    fc.assert(
      fc.property(metadata, metadata, (one, other) => {
        const reversed = Object.fromEntries(Object.entries(one).reverse());

        expect(sameMetadata(one, reversed)).toBe(true);
        expect(sameMetadata(one, other)).toBe(sameMetadata(other, one));
        expect(sameMetadata(mergeMetadata(one, other), one)).toBe(
          Object.keys(other).every(
            (name) => Object.hasOwn(one, name) && sameMetadata({ v: one[name] }, { v: other[name] }),
          ),
        );
      }),
    );
  });

  test.each([
    ['a changed leaf', { a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }],
    ['another order of an array', { a: [1, 2] }, { a: [2, 1] }],
    ['a number and its text', { a: 1 }, { a: '1' }],
    ['null and an absent key', { a: null }, {}],
    ['an array and an object of the same keys', { a: ['x'] }, { a: { 0: 'x' } }],
    ['an inherited name and an absent key', { toString: 1 }, { valueOf: 1 }],
    ['null and an object', { a: null }, { a: {} }],
  ])('differs for %s', (_, one, other) => {
    expect(sameMetadata(one, other)).toBe(false);
    expect(sameMetadata(other, one)).toBe(false);
  });
});

test('parseMetadata rejects numbers that JSON rounds, at any level', () => {
  expect(parseMetadata({ n: Number.MAX_SAFE_INTEGER, m: 0.5 })).toEqual({ n: Number.MAX_SAFE_INTEGER, m: 0.5 });
  expect(() => parseMetadata(JSON.parse('{"n":1e400}'))).toThrow(refusedAt('metadata.n'));
  expect(() => parseMetadata({ n: 2 ** 53 })).toThrow(refusedAt('metadata.n'));
  expect(() => parseMetadata({ a: [{ n: -(2 ** 53) }] })).toThrow(refusedAt('metadata.a.0.n'));
});
