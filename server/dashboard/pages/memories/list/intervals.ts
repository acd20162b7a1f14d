import type { CountInterval } from '@memory-service/sdk';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer ranges are counted by day, and these by month. */
const MAX_BY_HOUR_MS = 3 * DAY_MS;
const MAX_BY_DAY_MS = 150 * DAY_MS;

interface Range {
  since: string;
  /** Empty if the range ends now. */
  until: string;
}

/** Returns the interval that divides a range into at most 150 parts or months. */
export function intervalOf({ since, until }: Range, nowMs: number): CountInterval {
  const length = (until === '' ? nowMs : Date.parse(until)) - Date.parse(since);
  if (length <= MAX_BY_HOUR_MS) return 'hour';
  return length <= MAX_BY_DAY_MS ? 'day' : 'month';
}

/** Returns the range of the plot: that of the view, else from the oldest memory, and at least a day. */
export function rangeOf({ since, until }: Range, oldest: string, nowMs: number): Range {
  if (since !== '') return { since, until };
  const day = new Date((until === '' ? nowMs : Date.parse(until)) - DAY_MS).toISOString();
  // The plot stays the same until the hour ends, and so does what was read for it.
  return { since: oldest < day ? oldest : `${day.slice(0, 13)}:00:00Z`, until };
}

/** Returns the beginning of the interval after the one that begins at `start`. */
export function endOf(start: string, interval: CountInterval): string {
  const time = new Date(start);
  if (interval === 'month') time.setUTCMonth(time.getUTCMonth() + 1);
  else time.setTime(time.getTime() + (interval === 'day' ? DAY_MS : HOUR_MS));
  return time.toISOString();
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Names a time in UTC, as exactly as the interval is, such as "3 Nov, 17:00", "3 Nov 2026" or "Nov 2026". */
export function nameOf(time: string, interval: CountInterval): string {
  const value = Date.parse(time);
  if (Number.isNaN(value)) return time;
  const at = new Date(value);
  const month = MONTHS[at.getUTCMonth()];
  if (interval === 'month') return `${month} ${at.getUTCFullYear()}`;
  const day = `${at.getUTCDate()} ${month}`;
  return interval === 'day' ? `${day} ${at.getUTCFullYear()}` : `${day}, ${at.toISOString().slice(11, 16)}`;
}

/** Names a bound of a range in UTC. A bound at midnight is a date. */
export function boundName(time: string): string {
  return nameOf(time, /T00:00:00(?:\.0+)?Z$|^[\d-]{10}$/.test(time) ? 'day' : 'hour');
}
