import { invalid } from '../invalid.js';
import type { Microseconds } from '../timestamp.js';

export type Interval = 'hour' | 'day' | 'month';

/** Fits the hours of a month. */
const MAX_BUCKETS = 800;

const HOUR_US = 3_600_000_000;
export const FIXED_LENGTHS: Readonly<Partial<Record<Interval, Microseconds>>> = { hour: HOUR_US, day: 24 * HOUR_US };

const MONTHS = 12;

/** Returns the number of an interval of UTC. Consecutive intervals have consecutive numbers. */
export function bucketNumber(interval: Interval, at: Microseconds): number {
  const length = FIXED_LENGTHS[interval];
  // A quotient of large numbers could be rounded up.
  if (length !== undefined) return (at - (((at % length) + length) % length)) / length;
  const date = new Date(Math.floor(at / 1_000));
  return date.getUTCFullYear() * MONTHS + date.getUTCMonth();
}

/**
 * Returns the starts of the intervals that contain the times from `since` until `until`.
 *
 * @throws {UnprocessableError} at `interval`, if there are too many
 */
export function bucketStarts(interval: Interval, since: Microseconds, until: Microseconds): Microseconds[] {
  if (until <= since) return [];
  const first = bucketNumber(interval, since);
  const count = bucketNumber(interval, until - 1) - first + 1;
  if (count > MAX_BUCKETS) {
    throw invalid(
      'interval',
      `must be longer, or the time between since and until shorter: at most ${MAX_BUCKETS} buckets`,
    );
  }
  return Array.from({ length: count }, (_, index) => startOf(interval, first + index));
}

function startOf(interval: Interval, number: number): Microseconds {
  const length = FIXED_LENGTHS[interval];
  if (length !== undefined) return number * length;
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(number / MONTHS), number % MONTHS, 1);
  return date.getTime() * 1_000;
}
