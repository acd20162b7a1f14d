import type { Deps } from '../deps.js';
import { BOUNDS } from '../domain/fairness/bounds.js';
import { TenantSlots } from '../domain/fairness/tenant-slots.js';
import type { JobHandler } from '../ports/job-queue.js';
import { failDelivery, ingestDelivery } from '../services/inbound/inbound-ingest.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Ingests an inbound delivery, and retries for two days while the embedder or the store is unavailable. */
export function ingestDeliveryJob(deps: Deps): JobHandler<'ingest-delivery'> {
  const slots = new TenantSlots('ingestJobs');
  deps.metrics.watch(slots);
  return {
    concurrency: BOUNDS.ingestJobs.capacity,
    slots,
    faultRetryDelaysMs: [
      10 * SECOND_MS,
      MINUTE_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      2 * HOUR_MS,
      6 * HOUR_MS,
      12 * HOUR_MS,
      24 * HOUR_MS,
    ],
    jitter: 0.2,

    async run({ organizationId, deliveryKey }) {
      const ingested = await ingestDelivery(deps, organizationId, deliveryKey);
      return 'retryAfterMs' in ingested ? { deferMs: ingested.retryAfterMs } : undefined;
    },

    giveUp: ({ organizationId, deliveryKey }, errorName) => failDelivery(deps, organizationId, deliveryKey, errorName),
  };
}
