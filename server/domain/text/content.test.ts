import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import { assertContentLength, hashContent, normalizeContent } from './content.js';
import { foldContent } from './fold.js';

const MAX = 100_000;

const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((raw) => /[^\p{White_Space}\p{DI}\0]/u.test(raw));

describe('normalizeContent', () => {
  test('returns the same content for composed and decomposed characters', () => {
    fc.assert(
      fc.property(text, (raw) => {
        const composed = normalizeContent(raw.normalize('NFC'), MAX);
        const decomposed = normalizeContent(raw.normalize('NFD'), MAX);

        expect(hashContent(decomposed)).toBe(hashContent(composed));
        expect(normalizeContent(composed, MAX)).toBe(composed);
      }),
    );
  });

  test('keeps case and white space unchanged', () => {
    expect(normalizeContent('  Deploys\trun \n', MAX)).toBe('  Deploys\trun \n');
  });

  test('rejects one character more than the limit, whatever the number of bytes', () => {
    expect(normalizeContent('😀😀😀', 3)).toBe('😀😀😀');
    expect(() => normalizeContent('😀😀😀😀', 3)).toThrow(refusedAt('content'));
    expect(() => normalizeContent('a'.repeat(MAX * 10), MAX)).toThrow(refusedAt('content'));
  });

  test.each([
    ['empty', ''],
    ['blank', ' \n\u200b'],
    ['with half of a surrogate pair', 'a\ud800'],
    ['with U+0000', 'a\0'],
    ['with 100,000 combining marks', '\u0301\u0316'.repeat(MAX / 2)],
  ])('rejects content that is %s', (_, raw) => {
    expect(() => normalizeContent(raw, MAX)).toThrow(refusedAt('content'));
  });
});

describe('assertContentLength', () => {
  test('counts code points', () => {
    expect(() => assertContentLength('😀😀', 2)).not.toThrow();
    expect(() => assertContentLength('😀😀😀', 2)).toThrow(refusedAt('content'));
  });
});

describe('hashContent', () => {
  test('is the SHA-256 of the UTF-8 bytes in hex', () => {
    expect(hashContent('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('foldContent', () => {
  test.each([
    ['case', 'Deploys RUN on fridays', 'deploys run on Fridays'],
    ['white space', ' a\t b\n\nc\u00a0d ', 'a b c d'],
    ['the punctuation of prose', 'Hello, World!', 'hello   world'],
    ['quotes around words', '“Ship it”, she said.', "'ship it' she said"],
    ['brackets around words', 'Berlin (the capital)', 'berlin the capital'],
    ['apostrophes of two kinds', 'It’s done.', "it's done"],
    ['dashes of two kinds', 'Anne\u2010Marie', 'anne-marie'],
    ['final sigma', 'ΟΔΟΣ.', 'οδος'],
    ['ideographic punctuation', '你好，世界。', '你好， 世界'],
    ['soft hyphens', 'inter\u00adnational', 'international'],
    ['a full stop after a number', 'Version 2.', 'version 2'],
    ['a full stop after a sign', 'We use C++.', 'we use C++'],
    ['case of a number with a unit', 'at 3PM', 'at 3pm'],
    ['case of the half of the day', 'at 3 PM', 'at 3 pm'],
  ])('ignores %s', (_, one, other) => {
    expect(foldContent(one)).toBe(foldContent(other));
  });

  test.each([
    ['1.5', '15'],
    ['1,5', '15'],
    ['10:30', '1030'],
    ['-5', '5'],
    ['+5', '5'],
    ['.5', '5'],
    ['(500)', '500'],
    ['5!', '5'],
    ["5'", '5"'],
    ['$5', '5'],
    ['5%', '5'],
    ['a-b', 'ab'],
    ['a_b', 'ab'],
    ['a/b', 'ab'],
    ['a.b', 'ab'],
    ['C++', 'C'],
    ['C#', 'C'],
    ['A&B', 'AB'],
    ['v1.2', 'v12'],
    ['v1.2', 'v1.20'],
    ['f(x)', 'fx'],
    ["we're", 'were'],
    ['cd ..', 'cd .'],
    ['.env', 'env'],
    ['!important', 'important'],
    ['a@b.c', 'ab.c'],
    ['C:\\a', 'C:a'],
    ['x = y', 'x y'],
    ['x < y', 'x > y'],
    ['👍', '👎'],
    ['She left?', 'She left.'],
    ['https://x.y/aB', 'https://x.y/ab'],
    ['key aBc1', 'key abc1'],
    ['Maße', 'Masse'],
    ['résumé', 'resume'],
    ['5 mW', '5 MW'],
    ['5 m', '5 M'],
    ['five mW', 'five MW'],
    ['ab', 'a b'],
    ['1，5', '1 5'],
    ['（5', '5'],
    ['5）', '5'],
    ['你好，世界', '你好 世界'],
    ["'90s", '90s'],
  ])('differs for %s and %s', (one, other) => {
    expect(foldContent(one)).not.toBe(foldContent(other));
  });

  test('returns the same if it is applied twice', () => {
    const prose = fc.stringMatching(/^[aB3ςΣ' ".,!?()“”—。$…-]{0,12}$/);
    fc.assert(
      fc.property(fc.oneof(text, prose), (raw) => {
        const folded = foldContent(raw.normalize('NFC'));

        expect(foldContent(folded)).toBe(folded);
      }),
      { numRuns: 1000 },
    );
  });

  test('does not change content that consists of punctuation', () => {
    expect(foldContent('!!')).toBe('!!');
    expect(foldContent('...')).toBe('...');
  });

  test('keeps every letter, digit and sign', () => {
    const meaning = (content: string) => content.toLowerCase().replace(/[^\p{L}\p{N}\p{S}]/gu, '');
    const plain = fc.stringMatching(/^[a-z0-9 .,;:!?"'()+=<>$€|~^-]{1,20}$/);
    fc.assert(
      fc.property(plain, (content) => {
        expect(meaning(foldContent(content))).toBe(meaning(content));
      }),
    );
  });
});
