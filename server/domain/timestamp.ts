import { invalid } from './invalid.js';

/** Microseconds since the Unix epoch, an integer. */
export type Microseconds = number;

/** Microseconds of a day. */
export const DAY_US = 86_400_000_000;

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2})))?$/;

/** Error text that follows the name of a field. */
export const TIME_FORM = 'must be an ISO 8601 time with zone, such as 2026-11-20T12:00:00Z (a + is %2B in a URL)';

const MINUTE_US = 60_000_000;
const MIDNIGHT = '00:00:00.000Z';
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

let lastDay = { number: 0, text: '1970-01-01T' };

/** Returns ISO 8601 in UTC with six digits: `2026-11-20T12:00:00.000000Z`. Remembers the last day: a page has many. */
export function formatTimestamp(at: Microseconds): string {
  const day = Math.floor(at / DAY_US);
  if (day !== lastDay.number) lastDay = { number: day, text: dayText(day) };
  const minute = Math.floor((at - day * DAY_US) / MINUTE_US);
  const [hours, minutes] = [TWO_DIGITS[Math.floor(minute / 60)], TWO_DIGITS[minute % 60]];
  const digits = String(at - day * DAY_US - minute * MINUTE_US).padStart(8, '0');
  return `${lastDay.text}${hours}:${minutes}:${digits.slice(0, 2)}.${digits.slice(2)}Z`;
}

function dayText(day: number): string {
  return new Date((day * DAY_US) / 1000).toISOString().slice(0, -MIDNIGHT.length);
}

/**
 * Parses an ISO 8601 date and time with its zone, or a date, which means midnight UTC. Drops digits after the sixth, so
 * the result is never later than the text. Clamps times outside the years 1684 to 2255.
 *
 * @throws {UnprocessableError} at `path`, for any other text and for days and times that do not exist
 */
export function parseTimestamp(text: string, path: string): Microseconds {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', sign, ...zone] =
    SHAPE.exec(text) ?? [];
  const midnight = utcDate(Number(year), Number(month), Number(day));
  const offset = offsetMinutes(sign, zone);
  if (midnight === undefined || offset === undefined || !isTimeOfDay(Number(hour), Number(minute), Number(second))) {
    throw invalid(path, TIME_FORM);
  }
  const minutes = Number(hour) * 60 + Number(minute) - offset;
  const microseconds = Number(second) * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
  return clamp(midnight * 1000 + minutes * MINUTE_US + microseconds);
}

/** Returns milliseconds since the epoch, or undefined for a day that does not exist. */
function utcDate(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  // A day that does not exist moves the date into another month.
  return date.getUTCMonth() === month - 1 ? date.getTime() : undefined;
}

function isTimeOfDay(hour: number, minute: number, second: number): boolean {
  return hour < 24 && minute < 60 && second < 60;
}

function offsetMinutes(sign: string | undefined, [hours, minutes]: readonly string[]): number | undefined {
  if (sign === undefined) return 0;
  if (!isTimeOfDay(Number(hours), Number(minutes), 0)) return undefined;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}

function clamp(at: number): Microseconds {
  return Math.min(Math.max(at, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
