import fc from 'fast-check';
import { expect, test } from 'vitest';
import { best, bySimilarity, type Candidate } from './top-candidates.js';

const candidate = fc.record<Candidate>({
  seq: fc.nat({ max: 1_000 }),
  // Few values, so that many are equal.
  similarity: fc.integer({ min: -3, max: 3 }),
  createdAt: fc.constant(0),
});
const sorted = fc.array(candidate, { maxLength: 30 }).map((list) => list.sort(bySimilarity));

test('the best of sorted lists are those of all of them together', () => {
  fc.assert(
    fc.property(fc.array(sorted, { minLength: 2, maxLength: 5 }), fc.integer({ min: 1, max: 60 }), (lists, k) => {
      const all = lists.flat().sort(bySimilarity).slice(0, k);

      expect(best(lists, k)).toEqual(all);
    }),
  );
});
