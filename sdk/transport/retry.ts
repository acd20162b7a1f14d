import {
  MemoryApiError,
  MemoryConnectionError,
  RateLimitedError,
  UnavailableError,
  UnreadableAnswerError,
} from '../errors.js';

/**
 * Determines when a call may be retried.
 *
 * - `always`: also if its response was lost, since a repetition changes nothing.
 * - `until-gone`: likewise. A 404 after a lost response counts as success, since the lost attempt did the removal.
 * - `refused`: only if the service reports that it did nothing, since a repetition would take effect twice.
 * - `never`: the caller asks for the first response.
 */
export type Repeat = 'always' | 'until-gone' | 'refused' | 'never';

const FIRST_DELAY_MS = 500;
const MAX_OWN_DELAY_MS = 8_000;
/** Spreads clients that all received the same `Retry-After`. */
const SPREAD_MS = 1_000;
/** Statuses that a proxy returns without knowing if the service processed the request. */
const LOST_ON_THE_WAY = [502, 503, 504];

export function mayRepeat(error: unknown, repeat: Repeat): boolean {
  if (repeat === 'never') return false;
  return isRefusal(error) || (repeat !== 'refused' && isLost(error));
}

/** Reports if the service may have processed the request although its response did not arrive. */
export function isLost(error: unknown): boolean {
  if (error instanceof UnreadableAnswerError) return false;
  if (error instanceof MemoryConnectionError) return true;
  return error instanceof MemoryApiError && !isRefusal(error) && LOST_ON_THE_WAY.includes(error.status);
}

/** Reports if the service states that it did nothing and that a retry may succeed. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RateLimitedError) return error.code !== 'quota_exceeded';
  return error instanceof UnavailableError && error.code === 'service_unavailable';
}

/**
 * Returns the delay before attempt number `tried` + 1: the `Retry-After` of the service, otherwise exponential backoff
 * with jitter. Returns undefined if `Retry-After` exceeds `longestMs`.
 */
export function retryDelayMs(error: unknown, tried: number, longestMs: number): number | undefined {
  const asked = error instanceof MemoryApiError ? error.retryAfter : undefined;
  if (asked !== undefined) {
    return asked * 1_000 > longestMs ? undefined : asked * 1_000 + Math.random() * Math.min(longestMs, SPREAD_MS);
  }
  const ceiling = Math.min(longestMs, MAX_OWN_DELAY_MS, FIRST_DELAY_MS * 2 ** (tried - 1));
  return ceiling * (0.5 + Math.random() / 2);
}

/** @throws the reason of `signal` if it aborts */
export async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
