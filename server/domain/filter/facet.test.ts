import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Scalar } from '../memory/scalar.js';
import { facetOf, facetPrefix, facetsOf, facetValue } from './facet.js';

const keys = fc.oneof(fc.constantFrom('', '__proto__', '$where', 'a.b', 'a":', '"', '\\', 'a:b'), fc.string());
const scalars: fc.Arbitrary<Scalar> = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

describe('facetOf', () => {
  test('is equal exactly if key, type and value are equal', () => {
    fc.assert(
      fc.property(keys, scalars, keys, scalars, (key, value, otherKey, other) => {
        const isSame = key === otherKey && value === other;
        expect(facetOf(key, value) === facetOf(otherKey, other)).toBe(isSame);
      }),
      {
        numRuns: 2_000,
        examples: [
          ['a', 0, 'a', -0],
          ['a', '1', 'a', 1],
          ['a', 'null', 'a', null],
        ],
      },
    );
  });

  test('shortens long strings to distinct facets', () => {
    const long = 'x'.repeat(100_000);

    expect(facetOf('key', `${long}a`).length).toBeLessThan(100);
    expect(facetOf('key', `${long}a`)).not.toBe(facetOf('key', `${long}b`));
  });

  test('starts with a prefix that is unique to its key', () => {
    fc.assert(
      fc.property(keys, scalars, keys, (key, value, other) => {
        expect(facetOf(key, value).startsWith(facetPrefix(other))).toBe(key === other);
      }),
    );
  });
});

describe('facetValue', () => {
  test('returns the value of a facet', () => {
    fc.assert(
      fc.property(keys, scalars, (key, value) => {
        const isKept = typeof value !== 'string' || value.length <= 200;
        expect(facetValue(key, facetOf(key, value))).toBe(isKept ? (Object.is(value, -0) ? 0 : value) : undefined);
      }),
    );
  });
});

describe('facetsOf', () => {
  test('returns the scalars of the top level', () => {
    const metadata = JSON.parse('{"a":1,"b":null,"c":[1],"d":{"a":1},"__proto__":true}');

    expect(facetsOf(metadata)).toEqual(['"a":1', '"b":null', '"__proto__":true']);
  });
});
