import { BOUNDS } from '../domain/fairness/bounds.js';
import { DeliverySlots } from '../domain/outbound/slots.js';
import type { JobHandler } from '../ports/job-queue.js';
import { type DeliverDeps, deliverOutbound, endDelivery } from '../services/outbound/deliver-outbound.js';

/** An attempt takes at most 15 seconds for sending, and a commit. One that takes longer than this is lost. */
const LOCK_MS = 60_000;

/**
 * Sends events to endpoints. `faultRetryDelaysMs` is not the delay between delivery attempts, which
 * domain/outbound/attempt-delay.ts computes and the delivery stores. It applies to faults of the service, such as an
 * unavailable store, which do not count as attempts.
 */
export function deliverOutboundJob(deps: DeliverDeps): JobHandler<'deliver-outbound'> {
  const slots = new DeliverySlots(() => performance.now());
  deps.metrics.watch(slots);
  return {
    concurrency: BOUNDS.deliveries.capacity,
    slots,
    faultRetryDelaysMs: [5_000, 60_000, 5 * 60_000, 30 * 60_000],
    jitter: 0.2,
    lockMs: LOCK_MS,
    run: (place) => deliverOutbound(deps, place),
    giveUp: (place) => endDelivery(deps, place, 'internal'),
  };
}
