import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import { assertStorable, copyText, countCodePoints, dropExcessMarks, normalizeText } from './unicode.js';

const anyText = fc.string({ unit: 'binary' });

describe('normalizeText', () => {
  test('returns NFC, and leaves NFC unchanged', () => {
    fc.assert(
      fc.property(anyText, (raw) => {
        fc.pre(!raw.includes('\0'));
        const text = normalizeText(raw, 'x', { maxCodePoints: 100, minCodePoints: 0, allowBlank: true });

        expect(text).toBe(raw.normalize('NFC'));
        expect(normalizeText(text, 'x', { maxCodePoints: 100, minCodePoints: 0, allowBlank: true })).toBe(text);
      }),
    );
  });

  test('compares the number of code points after NFC with the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (raw) => {
        const length = Array.from(raw.normalize('NFC')).length;
        const read = (maxCodePoints: number) => normalizeText(raw, 'x', { maxCodePoints, allowBlank: true });

        expect(read(length)).toBe(raw.normalize('NFC'));
        expect(() => read(length - 1)).toThrow(refusedAt('x'));
      }),
    );
  });

  test.each([
    ['four bytes each', '😀😀😀', 3],
    ['decomposed, twice as long before NFC', 'e\u0301e\u0301', 2],
    ['the most that NFC shortens, six code units to one', '\u{16d63}\u{16d67}\u{16d67}', 1],
  ])('accepts text at the limit: %s', (_, raw, maxCodePoints) => {
    expect(countCodePoints(normalizeText(raw, 'x', { maxCodePoints }))).toBe(maxCodePoints);
  });

  test('rejects text that becomes too long in NFC', () => {
    expect(() => normalizeText('\ufb2c', 'x', { maxCodePoints: 2 })).toThrow(refusedAt('x'));
  });

  test.each([
    ['empty', ''],
    ['spaces', ' \t\n\u3000'],
    ['invisible characters', '\u200b\u200d\ufeff\u00ad'],
  ])('rejects blank text: %s', (_, raw) => {
    expect(() => normalizeText(raw, 'query', { maxCodePoints: 10 })).toThrow(refusedAt('query'));
  });

  test('accepts white space if blank text is allowed', () => {
    expect(normalizeText(' ', 'key', { maxCodePoints: 10, allowBlank: true })).toBe(' ');
  });

  test('rejects with the given code', () => {
    const refuse = () => normalizeText('', 'subjectKey', { maxCodePoints: 10, code: 'subject_key_invalid' });

    expect(refuse).toThrow(refusedAt('subjectKey', 'subject_key_invalid'));
  });
});

describe('assertStorable', () => {
  test.each([
    ['a leading half of a surrogate pair', 'a\ud83d'],
    ['a trailing half of a surrogate pair', '\ude00a'],
    ['the halves in the wrong order', '\ude00\ud83d'],
    ['U+0000', 'a\0b'],
    ['31 combining marks in a row', `e${'\u0301'.repeat(31)}`],
    ['31 combining marks outside the basic plane', `e${'\u{1d165}'.repeat(31)}`],
  ])('rejects %s', (_, text) => {
    expect(() => assertStorable(text, 'content')).toThrow(refusedAt('content'));
  });

  test.each([
    ['30 combining marks in a row', `e${'\u0301'.repeat(30)}`],
    ['many marks, never more than 30 in a row', `e${'\u0301'.repeat(30)}`.repeat(20)],
    ['characters outside the basic plane', '😀𝄞'],
  ])('accepts %s', (_, text) => {
    expect(() => assertStorable(text, 'content')).not.toThrow();
  });
});

describe('countCodePoints', () => {
  test('returns the number of items in an iteration over the string', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        const text = String.fromCharCode(...units);

        expect(countCodePoints(text)).toBe(Array.from(text).length);
      }),
    );
  });
});

describe('dropExcessMarks', () => {
  test('removes the marks that assertStorable rejects, and leaves ordinary text unchanged', () => {
    const marked = `a${'\u0301'.repeat(100)}b${'\u0316\u{1d165}'.repeat(50_000)}`;

    expect(() => assertStorable(dropExcessMarks(marked), 'content')).not.toThrow();
    expect(dropExcessMarks(`e${'\u0301'.repeat(30)}`)).toBe(`e${'\u0301'.repeat(30)}`);
  });
});

test('copyText returns the same text, including halves of surrogate pairs', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
      const text = String.fromCharCode(...units);

      expect(copyText(text)).toBe(text);
    }),
  );
});
