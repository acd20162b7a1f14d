import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { termsOf } from './keyword-terms.js';
import { segmentsOf } from './segments.js';

describe('termsOf', () => {
  test.each([
    ['Deploying DEPLOYS deployed', ['deploi', 'deploi', 'deploi']],
    ['Crème brûlée', ['creme', 'brule']],
    ['a_b-c.d', ['a', 'b', 'c', 'd']],
    ['привет мир 42', ['привет', 'мир', '42']],
    ['', []],
    ['"* NEAR(', ['near']],
    ['南京西路 v2', ['南京', '南', '京西', '京', '西路', '西', '路', 'v2']],
    ['タワー', ['タワ', 'ワー']],
    ['주차장은 서', ['주차', '차장', '장은', '서']],
    ['ทะเล', ['ทะเ', 'ะเล']],
    ['iOS版 🚀🇫🇷👩‍👧', ['io', '版', '🚀', '🇫🇷', '👩', '👧']],
  ])('splits %j into %j', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  test('truncates runs that are longer than words', () => {
    expect(termsOf('x'.repeat(100_000))).toEqual(['x'.repeat(64)]);
  });

  test('returns the same words as normalization of the whole text', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('\uff9e', '\u0300\u0316', '\ufdfa', '한국', 'é ', 'ế', '\u{1d400}', 'ｦﾞ', ' ', 'İ'),
    );
    const words = /\p{Regional_Indicator}{2}|\p{Extended_Pictographic}|[\p{L}\p{N}]+/gu;
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 600 }), (units) => {
        const text = units.join('');
        const whole =
          text
            .normalize('NFKD')
            .replace(/\p{M}+/gu, '')
            .toLowerCase()
            .match(words) ?? [];

        const segments = whole.flatMap((word) => segmentsOf(word, 'document'));
        expect(termsOf(text).length).toBe(Math.min(segments.length, Math.max(1_000, text.length)));
      }),
      { numRuns: 50 },
    );
  });

  test('cuts only as many segments of a word as are wanted', () => {
    const unit = fc.constantFrom('倉', '庫', 'か', 'ー', '한', '국', 'ก', 'ข', '\u{20000}', '\u{20001}', 'a', '1');
    const word = fc.array(unit, { minLength: 1, maxLength: 30 }).map((units) => units.join(''));
    fc.assert(
      fc.property(
        word,
        fc.constantFrom('document', 'query'),
        fc.integer({ min: 1, max: 40 }),
        (text, purpose, most) => {
          expect(segmentsOf(text, purpose, most)).toEqual(segmentsOf(text, purpose).slice(0, most));
        },
      ),
    );
  });

  test('keeps all words of plain text, even if they are short', () => {
    const words = Array.from({ length: 50_000 }, (_, n) => String(n % 10));

    expect(termsOf(words.join(' '))).toEqual(words);
  });

  test('bounds the segments of a long text without spaces', () => {
    expect(termsOf('倉'.repeat(20_000)).length).toBe(20_000);
    expect(termsOf('倉'.repeat(40_000)).length).toBe(25_000);
    expect(termsOf('倉'.repeat(100_000)).length).toBe(50_000);
  });

  test('keeps all words of a ligature in a short text', () => {
    expect(termsOf('\ufdfa'.repeat(10)).length).toBe(31);
  });

  test.each([
    ['phrases in one character', '\ufdfa', 50_000],
    ['marks after NFKD alone', `${'\u0300\u0316'.repeat(15)}\uff9e`, 0],
    ['marks and marks after NFKD', '\u0316\uff9e', 0],
    ['fractions', '\u00bd', 50_000],
  ])('limits the words of 100,000 characters: %s', (_, piece, most) => {
    expect(termsOf(piece.repeat(Math.ceil(100_000 / piece.length)).slice(0, 100_000)).length).toBe(most);
  });
});
