import { describe, expect, test } from 'vitest';
import { fuseRanks, keywordScore } from './ranking.js';

describe('fuseRanks', () => {
  test('gives 1 to the id that leads every ranking', () => {
    expect(fuseRanks([['a', 'b'], ['a']]).get('a')).toBeCloseTo(1, 12);
  });

  test('puts an id that both rankings know before one that a single ranking leads', () => {
    const scores = fuseRanks([
      ['alone', 'both'],
      ['other', 'both'],
    ]);

    expect(scores.get('both')).toBeGreaterThan(scores.get('alone') ?? 1);
    expect(scores.get('alone')).toBe(scores.get('other'));
  });
});

test('keywordScore keeps the order of BM25 and stays below 1', () => {
  const scores = [0.000001, 0.5, 3, 40].map(keywordScore);

  expect(scores).toEqual([...scores].sort((a, b) => a - b));
  expect(Math.max(...scores)).toBeLessThan(1);
});
