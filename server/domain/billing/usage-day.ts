import type { Outcome } from '../memory/memory.js';
import { DAY_US, formatTimestamp, type Microseconds } from '../timestamp.js';

/** Kinds of use that are counted by day: writes by their outcome, and metered reads. */
export const DAILY_KINDS = ['stored', 'merged', 'replayed', 'searched'] as const;

export type DailyKind = (typeof DAILY_KINDS)[number];

/** The use of an organization on one day. */
export interface DailyUsage extends Record<DailyKind, number> {
  /** UTC, `YYYY-MM-DD`. */
  day: string;
}

/** Days that are kept, today included. */
export const DAYS_KEPT = 90;

/** Returns the day of a time, in UTC. */
export function dayOf(at: Microseconds): string {
  return formatTimestamp(at).slice(0, 'YYYY-MM-DD'.length);
}

/** Returns the last `count` days up to that of `now`, the oldest first. */
export function lastDays(now: Microseconds, count: number): string[] {
  return Array.from({ length: count }, (_, at) => dayOf(now - (count - 1 - at) * DAY_US));
}

export function unused(day: string): DailyUsage {
  return { day, stored: 0, merged: 0, replayed: 0, searched: 0 };
}

/** Returns the kind of use that a write is. */
export function kindOfWrite(outcome: Outcome): DailyKind {
  if (outcome === 'merged_metadata') return 'merged';
  return outcome === 'deduplicated' ? 'replayed' : 'stored';
}
