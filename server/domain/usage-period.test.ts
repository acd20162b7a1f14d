import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usagePeriod, usagePeriodEnd } from './usage-period.js';

const micros = (iso: string) => Date.parse(iso) * 1000;

test('a period is a calendar month in UTC', () => {
  expect(usagePeriod(micros('2026-11-01T00:00:00Z'))).toBe('2026-11');
  expect(usagePeriod(micros('2026-11-01T00:00:00Z') - 1)).toBe('2026-10');
});

test('a period ends where the next begins, over the end of a year too', () => {
  expect(usagePeriodEnd('2026-11')).toBe(micros('2026-12-01T00:00:00Z'));
  expect(usagePeriodEnd('2026-12')).toBe(micros('2027-01-01T00:00:00Z'));
  expect(usagePeriodEnd('2028-02')).toBe(micros('2028-03-01T00:00:00Z'));
});

test('every moment lies before the end of its period, and the end in the next', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 52 }), (at) => {
      const end = usagePeriodEnd(usagePeriod(at));

      expect(end).toBeGreaterThan(at);
      expect(usagePeriod(end - 1)).toBe(usagePeriod(at));
      expect(usagePeriod(end) > usagePeriod(at)).toBe(true);
    }),
  );
});

test('refuses what is not a period', () => {
  expect(() => usagePeriodEnd('2026')).toThrow(RangeError);
});
