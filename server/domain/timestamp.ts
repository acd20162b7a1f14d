import { invalid } from './invalid.js';

/** Microseconds since the Unix epoch, an integer. */
export type Microseconds = number;

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2})))?$/;

const MICROSECONDS_PER_MINUTE = 60_000_000;

/** ISO 8601 in UTC with six digits: `2026-11-20T12:00:00.000000Z`. */
export function formatTimestamp(at: Microseconds): string {
  const milliseconds = Math.floor(at / 1000);
  const rest = at - milliseconds * 1000;
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/**
 * Reads an ISO 8601 date and time with its zone, or a date alone, which is its midnight UTC. Digits after the
 * sixth are dropped, so the result is never later than the text; times beyond the years 1684 to 2255 become the
 * first or last that fits.
 *
 * @throws {UnprocessableError} at `path`, for any other text and for days and hours that do not exist
 */
export function parseTimestamp(text: string, path: string): Microseconds {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', sign, ...zone] =
    SHAPE.exec(text) ?? [];
  const midnight = utcDate(Number(year), Number(month), Number(day));
  const offset = offsetMinutes(sign, zone);
  if (midnight === undefined || offset === undefined || !isTimeOfDay(Number(hour), Number(minute), Number(second))) {
    throw invalid(path, 'must be an ISO 8601 time with zone, such as 2026-11-20T12:00:00Z (a + is %2B in a URL)');
  }
  const minutes = Number(hour) * 60 + Number(minute) - offset;
  const microseconds = Number(second) * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
  return clamp(midnight * 1000 + minutes * MICROSECONDS_PER_MINUTE + microseconds);
}

/** Milliseconds since the epoch; undefined for a day that the calendar does not have. */
function utcDate(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  // A day too many or too few runs over into another month.
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
