import { expect, test } from 'vitest';
import { parseTimestamp } from '../timestamp.js';
import { dayOf, lastDays } from './usage-day.js';

const LEAP_DAY = parseTimestamp('2028-02-29T23:59:59.999999Z', 'at');

test('a day ends at midnight in UTC', () => {
  expect([dayOf(LEAP_DAY), dayOf(LEAP_DAY + 1)]).toEqual(['2028-02-29', '2028-03-01']);
});

test('the last days end with today', () => {
  expect(lastDays(LEAP_DAY + 1, 3)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
  expect(lastDays(LEAP_DAY, 90)).toHaveLength(90);
});
