import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RelevanceCurve, relevanceOf, sameTextAs, similarityFor } from './relevance.js';

const inside = fc.integer({ min: 1, max: 999 }).map((thousandths) => thousandths / 1_000);
const rising = (length: number) =>
  fc
    .uniqueArray(inside, { minLength: length, maxLength: length })
    .map((values) => values.toSorted((one, other) => one - other));
const curves: fc.Arbitrary<RelevanceCurve> = fc
  .nat(5)
  .chain((length) => fc.tuple(rising(length), rising(length)))
  .map(([similarities, relevances]) => similarities.map((at, index) => [at, relevances[index]!] as const));
const values = fc.double({ min: 0, max: 1, noNaN: true });

test('relevance is in [0, 1] and rises with the similarity', () => {
  fc.assert(
    fc.property(curves, values, values, (curve, one, other) => {
      const [low, high] = [relevanceOf(curve, Math.min(one, other)), relevanceOf(curve, Math.max(one, other))];

      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(high);
    }),
  );
});

test('the points of a curve and its ends are exact', () => {
  fc.assert(
    fc.property(curves, (curve) => {
      for (const [similarity, relevance] of [[0, 0] as const, ...curve, [1, 1] as const]) {
        expect(relevanceOf(curve, similarity)).toBeCloseTo(relevance, 12);
      }
    }),
  );
});

test('a similarity is never below the one for its own relevance', () => {
  fc.assert(
    fc.property(curves, values, (curve, similarity) => {
      const least = similarityFor(curve, relevanceOf(curve, similarity));

      expect(least).toBeLessThanOrEqual(similarity);
      expect(relevanceOf(curve, least)).toBeCloseTo(relevanceOf(curve, similarity), 6);
    }),
  );
});

test('relevance without points is the similarity', () => {
  fc.assert(
    fc.property(values, (similarity) => {
      expect(relevanceOf([], similarity)).toBeCloseTo(similarity, 12);
    }),
  );
});

test.each([
  ['Deploys run on Fridays.', 'deploys  run\non FRIDAYS. ', true],
  ['Deploys run on Fridays.', 'Deploys run on Fridays', false],
  ['a', `a${' '.repeat(100)}`, false],
])('%j and %j are the same text: %j', (query, content, expected) => {
  expect(sameTextAs(query)(content)).toBe(expected);
});

test('texts are the same if they are equal in lower case with single spaces', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'A', 'i', 'İ', 'K', '\u212a', 'Σ', '\u0307', '.', '1', ' ', '\n', '\u2003'),
  });
  const fold = (one: string) =>
    one
      .toLowerCase()
      .replaceAll(/\p{White_Space}+/gu, ' ')
      .trim();
  fc.assert(
    fc.property(text, text, (query, content) => {
      const isSame = content.length <= 2 * query.length && fold(content) === fold(query);

      expect(sameTextAs(query)(content)).toBe(isSame);
    }),
    { numRuns: 2_000 },
  );
});
