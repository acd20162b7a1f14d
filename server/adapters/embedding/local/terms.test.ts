import { describe, expect, test } from 'vitest';
import { extractTerms } from './terms.js';

function occurrences(text: string): number {
  return extractTerms(text).reduce((sum, { count }) => sum + count, 0);
}

function spellings(text: string): string[] {
  return extractTerms(text).flatMap(({ spelling }) => (spelling === undefined ? [] : [spelling]));
}

test('words are split at what a reader of names and code would split at', () => {
  expect(spellings('parseHttpRequest')).toEqual(['parsehttprequest', 'parse', 'http', 'request']);
  expect(spellings('snake_case-name')).toEqual(['snake', 'case', 'name']);
  expect(spellings('16GB')).toEqual(['16', 'gb']);
  expect(spellings('C++ C# Node入門')).toEqual(['c++', 'c#', 'node']);
  expect(spellings("O'Brien's café")).toEqual(['brien', 'cafe']);
});

test('forms of one word are one term', () => {
  expect(extractTerms('deploy deploys deployed deploying').filter(({ count }) => count === 4)).toHaveLength(1);
  expect(extractTerms('went goes going gone').filter(({ count }) => count === 4)).toHaveLength(1);
});

test('function words carry little and join no pairs', () => {
  const [the, cat] = extractTerms('the cat');

  expect(the!.weight).toBeLessThan(cat!.weight / 5);
  expect(extractTerms('the cat')).toHaveLength(2);
  expect(extractTerms('black cat')).toHaveLength(3);
});

describe('work', () => {
  test.each([
    ['prose', 'The staging database was reset on Sunday. '],
    ['letters', 'abcdefgh'],
    ['capitals within words', 'aB'],
    ['apostrophes', "a'"],
    ['quotes', "'"],
    ['ideographs', '東京都'],
    ['marks', 'a\u0301\u0323'],
    ['signs', '?!'],
    ['emoji', '🎉'],
  ])('grows with the length of the text and no faster: %s', (_kind, unit) => {
    const short = occurrences(unit.repeat(500));
    const long = occurrences(unit.repeat(5_000));

    expect(long).toBeGreaterThan(short);
    expect(long).toBeLessThan(10.5 * short);
  });

  test('is bounded for each run of letters', () => {
    const longest = Math.max(...spellings('x'.repeat(100_000)).map((spelling) => spelling.length));

    expect(longest).toBeLessThanOrEqual(64);
  });
});
