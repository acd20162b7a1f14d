import {
  MemoryApiError,
  MemoryConnectionError,
  RateLimitedError,
  UnavailableError,
  UnreadableAnswerError,
} from './errors.js';

/**
 * When a call may be sent again.
 *
 * - `always`: also when its answer was lost, since a second time changes nothing more.
 * - `until-gone`: likewise; what is then not found was removed by the try whose answer was lost.
 * - `refused`: only when the service says that it did nothing, since a second time would do it twice.
 * - `never`: the first answer is what is asked for.
 */
export type Repeat = 'always' | 'until-gone' | 'refused' | 'never';

const FIRST_DELAY_MS = 500;
const LONGEST_OWN_DELAY_MS = 8_000;
/** Spreads those who were all told to come back at the same second. */
const SPREAD_MS = 1_000;
/** Answers of something on the way, which does not tell what became of the request. */
const LOST_ON_THE_WAY = [502, 503, 504];

export function mayRepeat(error: unknown, repeat: Repeat): boolean {
  if (repeat === 'never') return false;
  return isRefusal(error) || (repeat !== 'refused' && isLost(error));
}

/** Whether the request may have been carried out although no answer of the service says so. */
export function isLost(error: unknown): boolean {
  if (error instanceof UnreadableAnswerError) return false;
  if (error instanceof MemoryConnectionError) return true;
  return error instanceof MemoryApiError && !isRefusal(error) && LOST_ON_THE_WAY.includes(error.status);
}

/** Whether the service says that it did nothing, and that asking later may help. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RateLimitedError) return error.code !== 'quota_exceeded';
  return error instanceof UnavailableError && error.code === 'service_unavailable';
}

/**
 * How long to wait before try number `tried` + 1: what the service asks for, else a random time that
 * doubles. Undefined when the service asks for more than `longestMs`.
 */
export function retryDelayMs(error: unknown, tried: number, longestMs: number): number | undefined {
  const asked = error instanceof MemoryApiError ? error.retryAfter : undefined;
  if (asked !== undefined) {
    return asked * 1_000 > longestMs ? undefined : asked * 1_000 + Math.random() * Math.min(longestMs, SPREAD_MS);
  }
  const ceiling = Math.min(longestMs, LONGEST_OWN_DELAY_MS, FIRST_DELAY_MS * 2 ** (tried - 1));
  return ceiling * (0.5 + Math.random() / 2);
}

/** @throws the reason of `signal` when it ends the wait */
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
