import { describe, expect, test } from 'vitest';
import { hybridScore, keywordScore, mostOf, wordShare } from './ranking.js';

describe('hybridScore', () => {
  test('is 1 for the same meaning and all words, and 0 for neither', () => {
    expect(hybridScore(1, 1)).toBeCloseTo(1, 12);
    expect(hybridScore(0, 0)).toBe(0);
  });

  test('counts the meaning twice as much as the words', () => {
    expect(hybridScore(1, 0)).toBeCloseTo(2 * hybridScore(0, 1), 12);
  });
});

test('wordShare is the part of the highest relevance, and 0 where nothing can be relevant', () => {
  expect(wordShare(mostOf(3), mostOf(3) + mostOf(1))).toBeCloseTo(0.75, 12);
  expect(wordShare(0, 0)).toBe(0);
});

test('keywordScore keeps the order of BM25 and stays below 1', () => {
  const scores = [0.000001, 0.5, 3, 40].map(keywordScore);

  expect(scores).toEqual([...scores].sort((a, b) => a - b));
  expect(Math.max(...scores)).toBeLessThan(1);
});
