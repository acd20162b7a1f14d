import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from './long-text.js';

test('a text that fits stays whole', () => {
  expect(cutText('short enough', 100)).toEqual(['short enough']);
  expect(cutText('', 100)).toEqual(['']);
});

test('cuts fall after white space where some is near', () => {
  const pieces = cutText('lorem ipsum dolor sit amet '.repeat(20), 40);

  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.slice(0, -1).every((piece) => piece.endsWith(' '))).toBe(true);
});

test('other scripts take more tokens a character', () => {
  expect(cutText('東'.repeat(1_000), 300).length).toBeGreaterThan(cutText('a'.repeat(1_000), 300).length);
});

test('a character that takes more than there is stands alone', () => {
  expect(cutText('東京', 1)).toEqual(['東', '京']);
});

test('nothing is lost, nothing is empty and no character is split', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', ' ', '東', '🎉'), minLength: 1, maxLength: 300 });

  fc.assert(
    fc.property(texts, fc.integer({ min: 4, max: 60 }), (text, maxTokens) => {
      const pieces = cutText(text, maxTokens);
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.length > 0 && !/\p{Surrogate}/u.test(piece))).toBe(true);
    }),
  );
});
