import type { Microseconds } from './memory.js';
import { formatTimestamp } from './timestamp.js';

/** The billing period of a moment: its calendar month in UTC, `YYYY-MM`. */
export function usagePeriod(at: Microseconds): string {
  return formatTimestamp(at).slice(0, 'YYYY-MM'.length);
}

/** The first moment after a period. */
export function usagePeriodEnd(period: string): Microseconds {
  const [year, month] = period.split('-').map(Number);
  if (year === undefined || month === undefined) throw new RangeError('a period is YYYY-MM');
  return Date.UTC(year, month) * 1000;
}
