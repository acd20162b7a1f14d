import { describe, expect, test } from 'vitest';
import { MAX_COUNTED_TERMS, MAX_QUERY_TERMS, queryTerms, rarestTerms } from './query-terms.js';

const ALL = 10_000;
const COMMON = 5_000;

function numbered(count: number, number: number): (readonly [string, number])[] {
  return Array.from({ length: count }, (_, n) => [`t${n}`, number] as const);
}

describe('queryTerms', () => {
  test('keeps the distinct words of a query in their order', () => {
    expect(queryTerms('Beta alpha BETA')).toEqual({ counted: ['beta', 'alpha'], wordsLeftOut: false });
  });

  test('keeps the longest words if there are too many', () => {
    const short = Array.from({ length: MAX_COUNTED_TERMS }, (_, n) => `a${n}`);

    const { counted, wordsLeftOut } = queryTerms([...short, 'considerable'].join(' '));

    expect(counted).toHaveLength(MAX_COUNTED_TERMS);
    expect(counted[0]).toBe('consider');
    expect(wordsLeftOut).toBe(true);
  });
});

describe('rarestTerms', () => {
  test('returns the rarest words first, without those that no memory contains', () => {
    const { terms, wordsLeftOut } = rarestTerms(Object.entries({ some: 7, none: 0, one: 1 }), ALL);

    expect(terms.map(({ term }) => term)).toEqual(['one', 'some']);
    expect(wordsLeftOut).toBe(false);
  });

  test('reports left-out words beyond the limit, but not common words', () => {
    const within = rarestTerms([...numbered(MAX_QUERY_TERMS, 1), ['common', COMMON]], ALL);
    const beyond = rarestTerms(numbered(MAX_QUERY_TERMS + 1, 1), ALL);

    expect(within).toMatchObject({ terms: { length: MAX_QUERY_TERMS }, wordsLeftOut: false });
    expect(beyond).toMatchObject({ terms: { length: MAX_QUERY_TERMS }, wordsLeftOut: true });
  });

  test('keeps common words if there are no others', () => {
    expect(rarestTerms([['common', COMMON]], ALL).terms).toMatchObject([{ term: 'common' }]);
  });
});
