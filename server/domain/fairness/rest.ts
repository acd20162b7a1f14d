import type { Lease } from './shared-resource.js';

/** Rest after a piece of work, in proportion to its time: others then have a fifth of the only thread to themselves. */
const REST_PER_WORK = 0.25;
const LONGEST_REST_MS = 100;

/** A lease that begins now and, after its release, rests for a while before the next one is granted. */
export function withRest(lease: Lease): Lease {
  const since = performance.now();
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    const restMs = Math.min((performance.now() - since) * REST_PER_WORK, LONGEST_REST_MS);
    // A timer is late by up to a millisecond, and what others have to do now comes before.
    if (restMs < 1) setImmediate(() => lease.release());
    else setTimeout(() => lease.release(), restMs);
  };
  return { release, [Symbol.dispose]: release };
}
