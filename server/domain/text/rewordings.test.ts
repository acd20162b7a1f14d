import { expect, test } from 'vitest';
import { KEPT_APART, MERGED } from '../../testing/fixtures/rewordings.js';
import { compareFacts, type Likeness, readFact } from './near-duplicate.js';
import { hashWords } from './words.js';

test('none of at least 150 pairs with different meanings counts as the same', () => {
  const wrong = KEPT_APART.filter((pair) => likenessOf(pair) !== 'other');

  expect(wrong).toEqual([]);
  expect(MERGED.length + KEPT_APART.length).toBeGreaterThanOrEqual(150);
});

test('rewordings count as the same, and have equal hashes', () => {
  const unsure = MERGED.filter((pair) => likenessOf(pair) !== 'same');

  expect(unsure).toEqual([['The deploy runs daily', 'The deploys run daily']]);
  expect(unsure.map(likenessOf)).toEqual(['likely']);
  for (const [one, other] of MERGED) expect(hashWords(one), one).toBe(hashWords(other));
});

function likenessOf([one, other]: readonly [string, string]): Likeness {
  const likeness = compareFacts(readFact(one), readFact(other));
  expect(compareFacts(readFact(other), readFact(one))).toBe(likeness);
  return likeness;
}
