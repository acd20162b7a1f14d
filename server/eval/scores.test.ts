import { describe, expect, test } from 'vitest';
import { average, byCategory, judge, spread } from './scores.js';

const QUESTION = { text: 'which?', category: 'a', evidence: ['first', 'second'] };

describe('judge', () => {
  test('counts the evidence within each cut, and the place of the first', () => {
    const found = [['other'], ['second'], ...Array.from({ length: 5 }, () => ['other']), ['first', 'same text']];

    expect(judge(QUESTION, found)).toEqual({ category: 'a', recall: [0, 0.5, 1, 1], reciprocalRank: 0.5 });
  });

  test('gives nothing where nothing is found', () => {
    expect(judge(QUESTION, [['other']])).toEqual({ category: 'a', recall: [0, 0, 0, 0], reciprocalRank: 0 });
  });
});

describe('the averages', () => {
  const answered = [
    { category: 'a', recall: [1, 1, 1, 1], reciprocalRank: 1 },
    { category: 'b', recall: [0, 0, 0.5, 1], reciprocalRank: 0.2 },
  ];

  test('are over all questions, or over those of a category', () => {
    expect(average(answered)).toEqual({ questions: 2, recall: [0.5, 0.5, 0.75, 1], mrr: 0.6 });
    expect(byCategory(answered).get('b')).toEqual({ questions: 1, recall: [0, 0, 0.5, 1], mrr: 0.2 });
  });

  test('have a spread that shrinks with the number of questions', () => {
    const many = Array.from({ length: 100 }, (_, n) => answered[n % 2]!);

    expect(spread(answered)).toBeGreaterThan(spread(many));
    expect(spread([answered[0]!])).toBe(0);
  });
});
