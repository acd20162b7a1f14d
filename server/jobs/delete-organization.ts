import type { Deps } from '../deps.js';
import type { JobHandler } from '../ports/job-queue.js';
import { goOnRemoving } from '../services/organization/deletion.js';
import { CLEANING_LOCK_MS, CLEANING_RETRY_DELAYS_MS } from './cleaning.js';

/**
 * Removes the data of deleted organizations, and retries for two days while the store is unavailable. After that, or
 * after repeated crashes, the upkeep continues.
 */
export function deleteOrganizationJob(deps: Deps): JobHandler<'delete-organization'> {
  return {
    concurrency: 1,
    faultRetryDelaysMs: CLEANING_RETRY_DELAYS_MS,
    jitter: 0.2,
    lockMs: CLEANING_LOCK_MS,

    async run({ organizationId }) {
      const pause = await goOnRemoving(deps, organizationId);
      return pause && { deferMs: pause.retryAfterMs };
    },
  };
}
