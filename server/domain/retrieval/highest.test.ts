import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Highest } from './highest.js';

test('knows the lowest of the highest scores', () => {
  const scores = fc.array(fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 5 }), (given, limit) => {
      const highest = new Highest(limit);

      for (const score of given) highest.add(score);

      const sorted = given.toSorted((one, other) => other - one);
      expect(highest.lowest).toBe(sorted[limit - 1] ?? Number.NEGATIVE_INFINITY);
    }),
  );
});
