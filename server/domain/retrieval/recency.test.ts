import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blendRecency, firstToReach } from './recency.js';

const DAY = 86_400_000_000;
const NOW = 20_000 * DAY;

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const age = fc.double({ min: 0, max: 20_000, noNaN: true });
const halflifeDays = fc.double({ min: 0.001, max: 3650, noNaN: true });

test('with a weight of 0, age does not count', () => {
  fc.assert(
    fc.property(unit, age, halflifeDays, (similarity, days, halflife) => {
      expect(blendRecency(similarity, NOW - days * DAY, { weight: 0, halflifeDays: halflife, now: NOW })).toBe(
        similarity,
      );
    }),
  );
});

test('with a weight of 1, the score halves with every half-life', () => {
  const scoreAt = (days: number) => blendRecency(0.3, NOW - days * DAY, { weight: 1, halflifeDays: 30, now: NOW });

  expect(scoreAt(0)).toBe(1);
  expect(scoreAt(30)).toBe(0.5);
  expect(scoreAt(60)).toBe(0.25);
});

test('the score blends similarity and age in proportion to the weight', () => {
  expect(blendRecency(0.8, NOW - 30 * DAY, { weight: 0.25, halflifeDays: 30, now: NOW })).toBeCloseTo(0.725, 12);
});

test('the score is in [0, 1], falls with age and rises with similarity', () => {
  fc.assert(
    fc.property(unit, unit, age, age, unit, halflifeDays, (similarity, more, days, older, weight, halflife) => {
      const score = (s: number, d: number) =>
        blendRecency(s, NOW - d * DAY, { weight, halflifeDays: halflife, now: NOW });
      const [low, high] = [Math.min(similarity, more), Math.max(similarity, more)];
      const [young, old] = [Math.min(days, older), Math.max(days, older)];

      expect(score(low, young)).toBeGreaterThanOrEqual(0);
      expect(score(high, young)).toBeLessThanOrEqual(1 + Number.EPSILON);
      expect(score(low, old)).toBeLessThanOrEqual(score(high, old));
      expect(score(low, old)).toBeLessThanOrEqual(score(low, young));
    }),
  );
});

test('a memory from the future counts as new', () => {
  expect(blendRecency(0, NOW + 5 * DAY, { weight: 1, halflifeDays: 30, now: NOW })).toBe(1);
});

test('a memory reaches a score exactly if it is not older than firstToReach', () => {
  const weights = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      unit,
      unit,
      weights,
      fc.double({ min: 0.01, max: 3650, noNaN: true }),
      (score, similarity, weight, halflife) => {
        const recency = { weight, halflifeDays: halflife, now: NOW };
        const since = firstToReach(score, similarity, recency);

        if (since > 0)
          expect(blendRecency(similarity, Math.min(since, NOW + 1) - 1, recency)).toBeLessThan(score + 1e-9);
        if (since < NOW) expect(blendRecency(similarity, since + 2_000_000, recency)).toBeGreaterThan(score - 1e-9);
      },
    ),
  );
});
