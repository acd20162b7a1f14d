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
  /** Returns the sum of `bytesOf` over the organization's active memories. */
  storedBytes(organizationId: string): Promise<number>;
}

export interface Usage {
  ingest: number;
  search: number;
}
