import { setTimeout as wait } from 'node:timers/promises';
import type { Lease } from './shared-resource.js';

/** Pause after work, as a fraction of the time of the work. It reserves a fifth of the event loop for other work. */
const REST_PER_WORK = 0.25;
const MAX_REST_MS = 100;

/** Returns a lease that starts now and delays its release by a pause. */
export function withRest(lease: Lease): Lease {
  const since = performance.now();
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    const restMs = Math.min((performance.now() - since) * REST_PER_WORK, MAX_REST_MS);
    // A timer is up to a millisecond late. `setImmediate` also lets pending work of others run first.
    if (restMs < 1) setImmediate(() => lease.release());
    else setTimeout(() => lease.release(), restMs);
  };
  return { release, [Symbol.dispose]: release };
}

/** Longest pause between two parts of a job. */
const MAX_JOB_REST_MS = 1_000;

/**
 * Waits as long as a part of a job took, so that a long job leaves half of the time to callers. The time includes the
 * waits of the part for its turns: the busier the callers are, the longer the job waits.
 */
export async function restAsLong(workMs: number): Promise<void> {
  await wait(Math.min(workMs, MAX_JOB_REST_MS));
}
