import type { Deps } from '../../deps.js';
import { DAYS_KEPT, lastDays } from '../../domain/billing/usage-day.js';
import { expireDue } from '../memories/expire.js';
import { goOnRemoving } from '../organization/deletion.js';
import { purgeOutdated } from '../removal/purge.js';

/** Time after which the job of a deletion may have been given up. */
const LEFT_TO_JOB_US = 60 * 60 * 1_000_000;

type TendDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'logger'>;

/**
 * Does the upkeep of all organizations: expires memories, purges those that were deleted long ago, removes the counts
 * of days long ago, and continues old deletions of organizations.
 *
 * @param stopping ends it after the current step
 */
export async function tendAll(deps: TendDeps, stopping?: AbortSignal): Promise<void> {
  await deps.store.usage.forgetDaysBefore(lastDays(deps.now(), DAYS_KEPT)[0] ?? '');
  for (const organizationId of await deps.store.accounts.organizationsToTend(deps.now())) {
    await expireDue(deps, { organizationId }, stopping);
    await purgeOutdated(deps, organizationId, stopping);
  }
  await goOnDeleting(deps, stopping);
}

async function goOnDeleting(deps: TendDeps, stopping: AbortSignal | undefined): Promise<void> {
  for (const { organizationId, deletedAt } of await deps.store.deletions.list()) {
    if (deps.now() - deletedAt < LEFT_TO_JOB_US) continue;
    while (!stopping?.aborted && (await goOnRemoving(deps, organizationId))?.retryAfterMs === 0);
  }
}
