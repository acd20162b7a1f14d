import { describe, expect, test } from 'vitest';
import { answerExcerpt, MAX_ANSWER_BYTES } from './answer-excerpt.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('answerExcerpt', () => {
  test('returns the text, and nothing for an empty response', () => {
    expect(answerExcerpt(bytes('{"é": "😀"}\r\n\tend'))).toBe('{"é": "😀"}\n\tend');
    expect(answerExcerpt(new Uint8Array())).toBeUndefined();
  });

  test('returns at most the first bytes, without a character that the cut has split', () => {
    const text = answerExcerpt(bytes(`${'a'.repeat(MAX_ANSWER_BYTES - 1)}é and more`));

    expect(text).toBe('a'.repeat(MAX_ANSWER_BYTES - 1));
  });

  test('replaces bytes that are no text, control characters and characters without a width', () => {
    const invalid = Uint8Array.of(0x61, 0xff, 0x62);

    expect(answerExcerpt(invalid)).toBe('a\uFFFDb');
    expect(answerExcerpt(bytes('\u0000a\u001b[31mb\u007f\u0085\u202ec\u200bd\re\u2028'))).toBe(
      '\uFFFDa\uFFFD[31mb\uFFFD\uFFFD\uFFFDc\uFFFDd\uFFFDe\uFFFD',
    );
    expect(answerExcerpt(bytes('\uFEFFa'))).toBe('a');
  });
});
