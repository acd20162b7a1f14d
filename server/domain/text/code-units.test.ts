import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CodeUnits, endOfRun } from './code-units.js';

describe('addTimes', () => {
  test('adds a text as often as it says, after what was added before', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 20 }), fc.nat(40), (before, text, times) => {
        const units = new CodeUnits(1);
        units.addAll(before);
        units.addTimes(text, times);
        units.addAll('z');

        expect(units.toText()).toBe(`${before}${text.repeat(times)}z`);
      }),
    );
  });
});

describe('endOfRun', () => {
  test.each([
    ['characters', 'aaab', 0, 1, 3],
    ['a single character', 'abbb', 0, 1, 1],
    ['characters up to the end', 'baa', 1, 1, 3],
    ['pairs', '😀😀😁', 0, 2, 4],
    ['pairs before half of one', '😀\ud83d', 0, 2, 2],
  ])('returns the end of a run of %s', (_, text, start, units, expected) => {
    expect(endOfRun(text, start, units)).toBe(expected);
  });
});
