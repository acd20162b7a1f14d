import { describe, expect, test } from 'vitest';
import { projected } from './projection.js';

const JUNE = { startsAt: '2026-06-01T00:00:00Z', endsAt: '2026-07-01T00:00:00Z' };

describe('the projection of use', () => {
  test('goes on as before until the end of the period', () => {
    expect(projected(100, JUNE, Date.parse('2026-06-11T00:00:00Z'))).toBe(300);
  });

  test('has two digits, and is never below what is used', () => {
    expect(projected(1_234, JUNE, Date.parse('2026-06-11T00:00:00Z'))).toBe(3_700);
    expect(projected(1_449, JUNE, Date.parse('2026-06-30T23:00:00Z'))).toBe(1_500);
    expect(projected(2, JUNE, Date.parse('2026-06-09T12:00:00Z'))).toBe(7);
    expect(projected(1_441, JUNE, Date.parse('2026-06-30T23:59:00Z'))).toBe(1_441);
  });

  test('is absent for a young period, an ended one, and without use', () => {
    expect(projected(9, JUNE, Date.parse('2026-06-01T06:00:00Z'))).toBeUndefined();
    expect(projected(9, JUNE, Date.parse('2026-07-01T00:00:00Z'))).toBeUndefined();
    expect(projected(0, JUNE, Date.parse('2026-06-11T00:00:00Z'))).toBeUndefined();
  });
});
