import type { Deps } from '../deps.js';
import type { JobHandler } from '../ports/job-queue.js';
import { failErasure, goOnErasing } from '../services/upkeep/erase-subject.js';
import { CLEANING_LOCK_MS, CLEANING_RETRY_DELAYS_MS } from './cleaning.js';

/** Erases subjects, and retries for two days while the store is unavailable. */
export function eraseSubjectJob(deps: Deps): JobHandler<'erase-subject'> {
  return {
    concurrency: 4,
    faultRetryDelaysMs: CLEANING_RETRY_DELAYS_MS,
    jitter: 0.2,
    lockMs: CLEANING_LOCK_MS,

    async run({ organizationId, erasureId }) {
      const pause = await goOnErasing(deps, organizationId, erasureId);
      return pause && { deferMs: pause.retryAfterMs };
    },

    giveUp: ({ organizationId, erasureId }) => failErasure(deps, organizationId, erasureId),
  };
}
