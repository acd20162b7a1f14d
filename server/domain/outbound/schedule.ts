/** Pauses before the second, third and fourth attempt, from the failure on. There is no fifth. */
const PAUSES_MS = [5_000, 5 * 60_000, 30 * 60_000];

/** Share by which a pause is shortened or lengthened, so that what failed together does not come back together. */
const JITTER = 0.2;

const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

/**
 * How long to wait after a failed attempt; undefined after the last one.
 *
 * @param attempts made so far, at least one
 * @param retryAfterMs what the endpoint asked for; heeded up to an hour, and never shortens a pause
 * @param random in [0, 1)
 */
export function pauseMs(attempts: number, retryAfterMs: number | undefined, random: number): number | undefined {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return undefined;
  const jittered = pause * (1 + JITTER * (2 * random - 1));
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
