import type { Deps } from '../../deps.js';
import { DAYS_KEPT, lastDays } from '../../domain/billing/usage-day.js';
import { expireDue } from '../memories/expire.js';
import { purgeOutdated } from '../memories/purge.js';

/**
 * Does the upkeep of all organizations: expires memories, purges those that were deleted long ago, and removes the
 * counts of days long ago.
 *
 * @param stopping ends it after the current step
 */
export async function tendAll(deps: Pick<Deps, 'store' | 'now' | 'newId'>, stopping?: AbortSignal): Promise<void> {
  await deps.store.usage.forgetDaysBefore(lastDays(deps.now(), DAYS_KEPT)[0] ?? '');
  for (const organizationId of await deps.store.accounts.organizationsToTend(deps.now())) {
    await expireDue(deps, { organizationId }, stopping);
    await purgeOutdated(deps, organizationId, stopping);
  }
}
