/** Delays before the second, third and fourth attempt, counted from the failure. There is no fifth. */
const ATTEMPT_DELAYS_MS = [5_000, 5 * 60_000, 30 * 60_000];

/** Fraction by which a delay varies at random, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

const MAX_RETRY_AFTER_MS = 60 * 60_000;

/**
 * Returns the delay before the next attempt after the endpoint rejected a delivery; undefined after the last attempt.
 * This spaces the attempts that customers see. `faultRetryDelaysMs` of the job is only for faults of the service.
 *
 * @param attempts number of attempts so far, at least one
 * @param retryAfterMs delay that the endpoint requests; used up to an hour, and never shortens the delay
 * @param random in [0, 1)
 */
export function nextAttemptDelayMs(
  attempts: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const delay = ATTEMPT_DELAYS_MS[attempts - 1];
  if (delay === undefined) return undefined;
  const jittered = delay * (1 + JITTER * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}

/** Parses a `Retry-After` header, in seconds or as an HTTP date, to milliseconds. Returns undefined for other texts. */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // HTTP dates begin with the day of the week. `Date.parse` would also accept many other texts.
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
