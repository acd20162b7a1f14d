import { describe, expect, test } from 'vitest';
import { boundName, endOf, intervalOf, nameOf, rangeOf } from './intervals.js';

const NOW = Date.parse('2026-05-20T10:30:00Z');

describe('intervalOf', () => {
  test.each([
    ['2026-05-19T00:00:00Z', '', 'hour'],
    ['2026-03-01T00:00:00Z', '', 'day'],
    ['2024-03-01T00:00:00Z', '', 'month'],
    ['2024-03-01T00:00:00Z', '2024-03-02T00:00:00Z', 'hour'],
  ])('divides %s to %s by %s', (since, until, interval) => {
    expect(intervalOf({ since, until }, NOW)).toBe(interval);
  });
});

describe('rangeOf', () => {
  test('keeps the range of the view', () => {
    const range = { since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' };

    expect(rangeOf(range, '2020-01-01T00:00:00Z', NOW)).toEqual(range);
  });

  test('begins with the oldest memory, and at least a day ago', () => {
    const none = { since: '', until: '' };

    expect(rangeOf(none, '2020-01-01T00:00:00Z', NOW).since).toBe('2020-01-01T00:00:00Z');
    expect(rangeOf(none, '2026-05-20T10:00:00Z', NOW).since).toBe('2026-05-19T10:00:00Z');
  });
});

describe('endOf', () => {
  test.each([
    ['hour', '2026-01-31T23:00:00Z', '2026-02-01T00:00:00.000Z'],
    ['day', '2026-02-28T00:00:00Z', '2026-03-01T00:00:00.000Z'],
    ['month', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
  ] as const)('ends a %s', (interval, start, end) => {
    expect(endOf(start, interval)).toBe(end);
  });
});

test.each([
  ['hour', '3 Sep, 05:00'],
  ['day', '3 Sep 2026'],
  ['month', 'Sep 2026'],
] as const)('the name of a time shows its %s', (interval, name) => {
  expect(nameOf('2026-09-03T05:00:00.000Z', interval)).toBe(name);
  expect(nameOf('no time', interval)).toBe('no time');
});

test('a bound at midnight is a date', () => {
  expect(boundName('2026-05-20T00:00:00.000Z')).toBe('20 May 2026');
  expect(boundName('2026-05-20T07:00:00.000Z')).toBe('20 May, 07:00');
});
