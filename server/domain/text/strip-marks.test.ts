import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stripMarks, stripMarksAndCase } from './strip-marks.js';

describe('stripMarks', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\uff9e\uff9f', '\u0300\u0316'.repeat(15), '\ufdfa', 'éế한', '\u{1d400}', 'a'.repeat(255)),
  );

  test('returns NFKD without marks', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');

        expect(stripMarks(text, Number.POSITIVE_INFINITY)).toBe(text.normalize('NFKD').replace(/\p{M}/gu, ''));
      }),
    );
  });

  test('returns at most `maxLength` code units', () => {
    expect(stripMarks('\ufdfa'.repeat(100), 50)).toBe('\ufdfa'.repeat(100).normalize('NFKD').slice(0, 50));
    expect(stripMarks('abc', 2)).toBe('ab');
  });
});

test('stripMarksAndCase returns the result of stripMarks in lower case', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('ΟΔΟΣ', 'Σ.', '\u03f9', '\u{1d6ba}A', 'İ', 'ẞ', '\u{10400}\u{1e900}', 'ÀÉ', '\ufdfa', '\uff21'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(400), (pieces, maxLength) => {
      const text = pieces.join('');

      expect(stripMarksAndCase(text, maxLength)).toBe(stripMarks(text, maxLength).toLowerCase());
    }),
  );
});
