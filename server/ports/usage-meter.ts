import type { DailyKind, DailyUsage } from '../domain/billing/usage-day.js';

/**
 * Counts use without a transaction for each count. A crash may lose the counts of the last second. `period` is the key
 * of a UsagePeriod.
 */
export interface UsageMeter {
  countSearch(organizationId: string, period: string): void;
  /**
   * Counts a search. Returns false and counts nothing if the period already has `cap` searches. The cap also holds for
   * concurrent calls and several processes.
   */
  takeSearch(organizationId: string, period: string, cap: number): Promise<boolean>;
  /** Reverts the count of `takeSearch` for a search that failed. */
  giveBackSearch(organizationId: string, period: string): Promise<void>;
  read(organizationId: string, period: string): Promise<Usage>;
  /** Counts a use on a day; units of work count their own. @param day `YYYY-MM-DD` */
  countDaily(organizationId: string, day: string, kind: DailyKind): void;
  /** Returns the days from `from` on that have counts, the oldest first. */
  days(organizationId: string, from: string): Promise<DailyUsage[]>;
  /** Removes the daily counts of all organizations before `day`. */
  forgetDaysBefore(day: string): Promise<void>;
  /** Returns the sum of `bytesOf` over the organization's active memories. */
  storedBytes(organizationId: string): Promise<number>;
}

export interface Usage {
  ingest: number;
  search: number;
}
