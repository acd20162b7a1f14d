import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../testing/app/refused.js';
import { formatCursor, parseCursor } from './cursor.js';

const ID = '019a9f3e-5b7c-7d2e-8f3a-4b5c6d7e8f90';
const position = fc.record({ at: fc.maxSafeInteger(), id: fc.uuid() });

test('a cursor is a timestamp and a UUID', () => {
  expect(formatCursor({ at: 1, id: ID })).toBe(`1970-01-01T00:00:00.000001Z|${ID}`);
});

test('parseCursor returns the formatted position', () => {
  fc.assert(
    fc.property(position, (given) => {
      expect(parseCursor(formatCursor(given))).toEqual(given);
    }),
  );
});

test('cursors sort as text in the order of their positions', () => {
  fc.assert(
    fc.property(position, position, (one, other) => {
      const before = one.at === other.at ? one.id < other.id : one.at < other.at;

      expect(formatCursor(one) < formatCursor(other)).toBe(before);
    }),
  );
});

describe('parseCursor', () => {
  test.each([
    '',
    '|',
    ID,
    '1970-01-01T00:00:00.000001Z',
    `1970-01-01T00:00:00Z|${ID}`,
    `1970-01-01T00:00:00.000001+00:00|${ID}`,
    `1970-02-30T00:00:00.000001Z|${ID}`,
    `9999-01-01T00:00:00.000000Z|${ID}`,
    `1970-01-01T00:00:00.000001Z|${ID.toUpperCase()}`,
    `1970-01-01T00:00:00.000001Z|${ID}|`,
    `1970-01-01T00:00:00.000001Z|${ID}\n`,
    '1970-01-01T00:00:00.000001Z|not-a-uuid',
    ` 1970-01-01T00:00:00.000001Z|${ID}`,
  ])('rejects %j', (text) => {
    expect(() => parseCursor(text)).toThrow(refusedAt('cursor'));
  });

  test('rejects every text that formatCursor does not return', () => {
    fc.assert(
      fc.property(position, fc.nat(62), fc.string({ minLength: 1, maxLength: 1 }), (given, index, character) => {
        const text = formatCursor(given);
        const changed = text.slice(0, index) + character + text.slice(index + 1);
        try {
          expect(formatCursor(parseCursor(changed))).toBe(changed);
        } catch (error) {
          expect(error).toEqual(refusedAt('cursor'));
        }
      }),
    );
  });
});
