import fc from 'fast-check';
import { expect, test } from 'vitest';
import { separateWords } from './separate-words.js';

const MARK = /(?<!\p{N})[、。，．；：！](?!\p{N})/gu;
const BRACKET = /(?<!\p{N})[「」『』《》〈〉【】（）](?!\p{N})/gu;
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

test.each([
  ['marks between words', '你好，世界。', '你好, 世界, '],
  ['brackets', '「a」（b）', ' a  b '],
  ['marks in numbers, which stay', '1，5（500）', '1，5（500）'],
  ['digits beyond the basic plane', '\u{1d7ce}。a。\u{1d7ce}', '\u{1d7ce}。a。\u{1d7ce}'],
  ['a run of one mark, which next to a digit stays', '1。。。2。。a。。。', '1。, 。2。, a, , , '],
  ['invisible characters', 'inter\u00adnational', 'international'],
])('separates words at %s', (_, content, expected) => {
  expect(separateWords(content)).toBe(expected);
});

test('replaces marks, brackets and invisible characters unless they belong to a number', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...'、。！「）1٣Ⅷa ', '\u{1d7ce}', '\u00ad', '\u200b', '😀', '。。。', '、、', '「「「'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const content = pieces.join('').toWellFormed();

      expect(separateWords(content)).toBe(content.replace(MARK, ', ').replace(BRACKET, ' ').replace(INVISIBLE, ''));
    }),
    { numRuns: 1_000 },
  );
});
