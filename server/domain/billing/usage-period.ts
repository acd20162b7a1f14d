import { formatTimestamp, type Microseconds } from '../timestamp.js';

/** Period over which usage is counted for a monthly cap. */
export interface UsagePeriod {
  /** Key under which the counts are stored. */
  key: string;
  startsAt: Microseconds;
  /** Exclusive. */
  endsAt: Microseconds;
}

let lastMonth: UsagePeriod = { key: '1970-01', startsAt: 0, endsAt: Date.UTC(1970, 1) * 1000 };

/** Returns the calendar month of a time, in UTC. Its key is `YYYY-MM`. Remembers the last one: every request needs it. */
export function calendarMonth(at: Microseconds): UsagePeriod {
  if (at < lastMonth.startsAt || at >= lastMonth.endsAt) lastMonth = monthOf(at);
  return lastMonth;
}

function monthOf(at: Microseconds): UsagePeriod {
  const key = formatTimestamp(at).slice(0, 'YYYY-MM'.length);
  const [year, month] = key.split('-').map(Number);
  if (year === undefined || month === undefined) throw new RangeError('the moment has no month');
  return { key, startsAt: Date.UTC(year, month - 1) * 1000, endsAt: Date.UTC(year, month) * 1000 };
}

/**
 * Returns the month of a time, if months begin on the day and time of `anchor`, or on the last day of a shorter month.
 * Its key is its start time, so it never equals the key of a calendar month.
 */
export function monthFrom(anchor: Microseconds, at: Microseconds): UsagePeriod {
  let months = monthsBetween(anchor, at);
  if (addMonths(anchor, months) > at) months -= 1;
  const startsAt = addMonths(anchor, months);
  return { key: formatTimestamp(startsAt), startsAt, endsAt: addMonths(anchor, months + 1) };
}

/** Counts calendar months and ignores days. */
function monthsBetween(from: Microseconds, to: Microseconds): number {
  const [first, last] = [new Date(Math.floor(from / 1000)), new Date(Math.floor(to / 1000))];
  return (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth();
}

function addMonths(at: Microseconds, months: number): Microseconds {
  const milliseconds = Math.floor(at / 1000);
  const date = new Date(milliseconds);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  const moved = Date.UTC(year, month, day) + (milliseconds - startOfDay(milliseconds));
  return moved * 1000 + (at - milliseconds * 1000);
}

function startOfDay(milliseconds: number): number {
  const date = new Date(milliseconds);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
}
