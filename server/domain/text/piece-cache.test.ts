import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PieceCache } from './piece-cache.js';

test('returns the pieces of a text, repeated or not', () => {
  const word = fc.oneof(fc.constantFrom('a', 'aa', 'ab', '字', '😀'), fc.string({ maxLength: 6 }));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 300 }), (words) => {
      const text = words.join('');
      const pieces = new PieceCache(text);
      let start = 0;
      const cut = words.map((each) => {
        start += each.length;
        return pieces.slice(start - each.length, start);
      });

      expect(cut).toEqual(words);
    }),
  );
});
