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
