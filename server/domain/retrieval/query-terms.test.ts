import { describe, expect, test } from 'vitest';
import { MAX_COUNTED_TERMS, MAX_QUERY_TERMS, queryTerms, rarestTerms } from './query-terms.js';
import { mostOf } from './ranking.js';

const ALL = 10_000;
const COMMON = 5_000;

function numbered(count: number, number: number): (readonly [string, number])[] {
  return Array.from({ length: count }, (_, n) => [`t${n}`, number] as const);
}

describe('queryTerms', () => {
  test('keeps the distinct words of a query in their order', () => {
    expect(queryTerms('Beta alpha BETA')).toMatchObject({ counted: ['beta', 'alpha'], wordsLeftOut: false });
  });

  test('tells stop words from words that only have their stem', () => {
    expect(queryTerms('Where does he go?')).toMatchObject({ secondary: new Set(['where', 'doe', 'he']) });
    expect(queryTerms('does a doe graze')).toMatchObject({ secondary: new Set(['a']) });
  });

  test('cuts scripts without spaces, and looks for the whole run that an earlier release indexed only as a second choice', () => {
    expect(queryTerms('南京西路')).toMatchObject({
      counted: ['南京', '京西', '西路', '南京西路'],
      secondary: new Set(['南京西路']),
    });
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

  test('leaves out stop words unless no memory has another word', () => {
    const stopping = new Set(['who']);
    const termsOf = (numbers: Record<string, number>) =>
      rarestTerms(Object.entries(numbers), ALL, stopping).terms.map(({ term }) => term);

    expect(termsOf({ who: 3, lives: 5 })).toEqual(['lives']);
    expect(termsOf({ who: 3, lives: 0 })).toEqual(['who']);
    expect(termsOf({ who: 3, common: COMMON })).toEqual(['common']);
  });

  test('bounds the relevance by the words that are searched for and those that no memory has', () => {
    const found = rarestTerms(Object.entries({ some: 7 }), ALL);
    const withUnknown = rarestTerms(Object.entries({ some: 7, none: 0 }), ALL);
    const withStopWord = rarestTerms(Object.entries({ some: 7, who: 0 }), ALL, new Set(['who']));

    expect(found.most).toBeCloseTo(mostOf(found.terms[0]!.rarity), 9);
    expect(withUnknown.most).toBeGreaterThan(2 * found.most);
    expect(withStopWord.most).toBe(found.most);
  });
});
