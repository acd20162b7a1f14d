const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Lock of a job that cleans the files of the store, which takes minutes for a large embedded database. */
export const CLEANING_LOCK_MS = 2 * HOUR_MS;

/** Delays of a job that continues for two days while the store is unavailable. */
export const CLEANING_RETRY_DELAYS_MS: readonly number[] = [
  SECOND_MS,
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];
