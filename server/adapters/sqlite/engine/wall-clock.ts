import type { Microseconds } from '../../../domain/timestamp.js';

/** Returns the time of the wall clock, which may step backwards. */
export function wallClock(): Microseconds {
  return Math.floor((performance.timeOrigin + performance.now()) * 1_000);
}
