/** Counts that must not cost a transaction each; a crash may lose the last second of them. A period is the key of a UsagePeriod. */
export interface UsageMeter {
  countSearch(organizationId: string, period: string): void;
  /**
   * Counts a search, unless the period has `cap` of them already: then it
   * counts nothing and answers false. However many ask at once, and in however
   * many processes, no more than `cap` are counted.
   */
  takeSearch(organizationId: string, period: string, cap: number): Promise<boolean>;
  /** Takes back what `takeSearch` counted for a search that then failed. */
  giveBackSearch(organizationId: string, period: string): Promise<void>;
  read(organizationId: string, period: string): Promise<Usage>;
  /** The sum of `bytesOf` of the organization's active memories. */
  storedBytes(organizationId: string): Promise<number>;
}

export interface Usage {
  ingest: number;
  search: number;
}
