import { describe, expect, test } from 'vitest';
import { fuseRanks, keywordScore } from './ranking.js';

describe('fuseRanks', () => {
  test('scores 1 for the id that leads every ranking', () => {
    expect(fuseRanks([['a', 'b'], ['a']]).get('a')).toBeCloseTo(1, 12);
  });

  test('scores an id in both rankings above the leader of one ranking', () => {
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
