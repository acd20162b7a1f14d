import type { Deps } from '../deps.js';
import type { JobHandler } from '../ports/job-queue.js';
import { failErasure, goOnErasing } from '../services/upkeep/erase-subject.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Cleaning a large embedded database takes minutes. */
const LOCK_MS = 2 * HOUR_MS;

/** Erases subjects, and retries for two days while the store is unavailable. */
export function eraseSubjectJob(deps: Deps): JobHandler<'erase-subject'> {
  return {
    concurrency: 4,
    faultRetryDelaysMs: [
      SECOND_MS,
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
    lockMs: LOCK_MS,

    async run({ organizationId, erasureId }) {
      const pause = await goOnErasing(deps, organizationId, erasureId);
      return pause && { deferMs: pause.retryAfterMs };
    },

    giveUp: ({ organizationId, erasureId }) => failErasure(deps, organizationId, erasureId),
  };
}
