import type { Microseconds } from '../timestamp.js';

/**
 * Reason why a request of a sender was refused before it was stored: a wrong signature, a disabled webhook, an event that
 * was signed too long ago, or a body that cannot be read.
 */
export type RefusalReason = 'signature' | 'disabled' | 'too_old' | 'body';

/** Refused requests to an inbound webhook. Anybody who knows its path can cause them. */
export interface Refusals {
  count: number;
  lastAt: Microseconds;
  lastReason: RefusalReason;
}

/** Adds later refusals to earlier ones. */
export function addRefusals(earlier: Refusals | undefined, later: Refusals | undefined): Refusals | undefined {
  if (!earlier || !later) return later ?? earlier;
  return { ...later, count: earlier.count + later.count };
}
