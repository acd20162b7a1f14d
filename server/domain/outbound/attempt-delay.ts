/** Delays before the second, third and fourth attempt, counted from the failure. There is no fifth. */
const ATTEMPT_DELAYS_MS = [5_000, 5 * 60_000, 30 * 60_000];

/** Share by which a delay is shortened or lengthened, so that what failed together does not come back together. */
const JITTER = 0.2;

const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

/**
 * Returns how long a delivery waits after its endpoint did not accept it; undefined after the last attempt. This
 * spaces the attempts that customers see. `faultRetryDelaysMs` of the job is for faults of the service only.
 *
 * @param attempts made so far, at least one
 * @param retryAfterMs what the endpoint asked for; heeded up to an hour, and never shortens a delay
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
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)));
}

/**
 * Milliseconds of a `Retry-After` header, given in seconds or as a date;
 * undefined for what is neither.
 */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Dates of HTTP begin with the day of the week; `Date.parse` would take much else.
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
