import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';

/** Longer than a first retry takes, and than a worker that looks for work every few seconds. */
export const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_500;

/**
 * Looks again and again until there is something to see: for what a deployment does after it has answered.
 *
 * @param look returns undefined while there is nothing yet
 * @param what names it where it does not come
 */
export async function eventually<T>(
  look: () => Promise<T | undefined>,
  what: string,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const start = performance.now();
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() - start > patienceMs)
      return expect.fail(`${what} did not come within ${patienceMs / 1_000} s`);
    await pause(pauseMs);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}
