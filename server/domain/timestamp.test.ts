import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../testing/app/refused.js';
import { formatTimestamp, parseTimestamp } from './timestamp.js';

const at = fc.maxSafeInteger();
const NOON = Date.UTC(2026, 10, 20, 12) * 1000;

describe('formatTimestamp', () => {
  test('prints ISO 8601 in UTC with six digits', () => {
    expect(formatTimestamp(NOON)).toBe('2026-11-20T12:00:00.000000Z');
    expect(formatTimestamp(NOON + 1_002_003)).toBe('2026-11-20T12:00:01.002003Z');
    expect(formatTimestamp(-1)).toBe('1969-12-31T23:59:59.999999Z');
  });

  test('returns a text that parseTimestamp reads exactly', () => {
    fc.assert(
      fc.property(at, (time) => {
        expect(parseTimestamp(formatTimestamp(time), 'since')).toBe(time);
      }),
    );
  });

  test('returns texts that sort in the order of their times', () => {
    fc.assert(
      fc.property(at, at, (one, other) => {
        expect(formatTimestamp(one) < formatTimestamp(other)).toBe(one < other);
      }),
    );
  });
});

describe('parseTimestamp', () => {
  test.each([
    ['2026-11-20T12:00:00Z', NOON],
    ['2026-11-20T12:00:00.5Z', NOON + 500_000],
    ['2026-11-20T12:00:00.000001Z', NOON + 1],
    ['2026-11-20T12:00:00.000001999Z', NOON + 1],
    ['2026-11-20T14:00:00+02:00', NOON],
    ['2026-11-20T06:30:00-05:30', NOON],
    ['2026-11-20T12:00:00-00:00', NOON],
    ['2026-11-20', Date.UTC(2026, 10, 20) * 1000],
    ['2028-02-29', Date.UTC(2028, 1, 29) * 1000],
    ['1969-12-31T23:59:59.999999Z', -1],
  ])('parses %s', (text, time) => {
    expect(parseTimestamp(text, 'since')).toBe(time);
  });

  test('clamps times that do not fit', () => {
    expect(parseTimestamp('0001-01-01T00:00:00Z', 'since')).toBe(Number.MIN_SAFE_INTEGER);
    expect(parseTimestamp('9999-12-31T23:59:59Z', 'since')).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.each([
    '',
    'yesterday',
    '1763640000',
    '2026-11-20T12:00:00',
    '2026-11-20 12:00:00Z',
    '2026-11-20T12:00Z',
    '2026-11-20T12:00:00.Z',
    '2026-11-20T12:00:00.0000000001Z',
    '2026-11-20T12:00:00 02:00',
    '2026-11-20T12:00:00+0200',
    '2026-11-20T12:00:00+24:00',
    '2026-11-20T12:00:00+02:60',
    '2026-11-20T24:00:00Z',
    '2026-11-20T12:60:00Z',
    '2026-11-20T12:00:60Z',
    '2026-02-30',
    '2026-02-29T00:00:00Z',
    '2026-13-01',
    '2026-00-01',
    '2026-11-00',
    '26-11-20',
    '+002026-11-20T12:00:00Z',
    ' 2026-11-20',
    '2026-11-20\n',
    '２０２６-11-20',
  ])('rejects %j', (text) => {
    expect(() => parseTimestamp(text, 'since')).toThrow(refusedAt('since'));
  });

  test('throws only a 422, whatever the text', () => {
    const near = fc.stringMatching(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,10})?(Z|[+-]\d\d:\d\d)?)?$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), near), (text) => {
        try {
          expect(parseTimestamp(text, 'since')).toSatisfy(Number.isSafeInteger);
        } catch (error) {
          expect(error).toMatchObject({ name: 'UnprocessableError' });
        }
      }),
      { numRuns: 1000 },
    );
  });
});
