import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calendarMonth, monthFrom } from './usage-period.js';

const micros = (iso: string) => Date.parse(iso) * 1000;
const moment = fc.integer({ min: 0, max: 2 ** 52 });

test('without a subscription a period is a calendar month in UTC', () => {
  expect(calendarMonth(micros('2026-11-01T00:00:00Z')).key).toBe('2026-11');
  expect(calendarMonth(micros('2026-11-01T00:00:00Z') - 1).key).toBe('2026-10');
});

test('a calendar month ends when the next begins, at the end of a year too', () => {
  expect(calendarMonth(micros('2026-12-24T00:00:00Z'))).toEqual({
    key: '2026-12',
    startsAt: micros('2026-12-01T00:00:00Z'),
    endsAt: micros('2027-01-01T00:00:00Z'),
  });
  expect(calendarMonth(micros('2028-02-10T00:00:00Z')).endsAt).toBe(micros('2028-03-01T00:00:00Z'));
});

test('with a subscription a period begins on its anchor day and time', () => {
  const anchor = micros('2026-01-15T10:30:00Z');

  expect(monthFrom(anchor, micros('2026-03-15T10:30:00Z'))).toEqual({
    key: '2026-03-15T10:30:00.000000Z',
    startsAt: micros('2026-03-15T10:30:00Z'),
    endsAt: micros('2026-04-15T10:30:00Z'),
  });
  expect(monthFrom(anchor, micros('2026-03-15T10:30:00Z') - 1).startsAt).toBe(micros('2026-02-15T10:30:00Z'));
});

test('a period with an anchor on the 31st begins on the last day of shorter months', () => {
  const anchor = micros('2028-01-31T00:00:00Z');
  const starts = ['2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31'].map((day) => micros(`${day}T00:00:00Z`));

  expect(starts.map((start) => monthFrom(anchor, start).startsAt)).toEqual(starts);
});

test('in a trial, the periods before the anchor are counted back from it', () => {
  const trialEnd = micros('2026-06-10T00:00:00Z');

  expect(monthFrom(trialEnd, micros('2026-05-28T00:00:00Z')).startsAt).toBe(micros('2026-05-10T00:00:00Z'));
});

test('every time is in its period, and the end of a period is in the next', () => {
  fc.assert(
    fc.property(moment, moment, (anchor, at) => {
      for (const periodOf of [calendarMonth, (each: number) => monthFrom(anchor, each)]) {
        const { key, startsAt, endsAt } = periodOf(at);
        const next = periodOf(endsAt);

        expect(startsAt <= at && at < endsAt).toBe(true);
        expect(periodOf(endsAt - 1).key).toBe(key);
        expect(next.startsAt).toBe(endsAt);
        expect(next.key > key).toBe(true);
      }
    }),
  );
});
