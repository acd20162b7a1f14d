import type { ResourceBounds } from './shared-resource.js';

/**
 * Deliveries to endpoints of customers under way. They wait for the network and use little else. One tenant has at most
 * an eighth of them, over all of its endpoints, so that endpoints that never answer leave room for others.
 */
export const DELIVERY_BOUNDS = {
  capacity: 128,
  shares: { tenant: 16, endpoint: 4 },
} as const satisfies ResourceBounds;

/** Deliveries under way to one endpoint while it is slow. */
export const SLOW_ENDPOINT_SHARE = 1;

/**
 * Look-ups of the host names of endpoints. The queue holds what the deliveries under way may ask for, so a look-up is
 * never refused, and one tenant's names that nobody answers for do not delay another's.
 */
export const LOOKUP_BOUNDS = {
  capacity: 64,
  shares: { tenant: 8 },
  maxWaiting: DELIVERY_BOUNDS.capacity,
} as const satisfies ResourceBounds;

/** Deadline of one look-up, after which the name counts as unresolved. */
export const LOOKUP_TIMEOUT_MS = 3_000;
