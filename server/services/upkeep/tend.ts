import type { Deps } from '../../deps.js';
import { expireDue } from '../memories/expire.js';
import { purgeOutdated } from '../memories/purge.js';

/**
 * Does the upkeep of all organizations: expires memories, and purges those that were deleted long ago.
 *
 * @param stopping ends it after the current step
 */
export async function tendAll(deps: Pick<Deps, 'store' | 'now' | 'newId'>, stopping?: AbortSignal): Promise<void> {
  for (const organizationId of await deps.store.accounts.organizationsToTend(deps.now())) {
    await expireDue(deps, { organizationId }, stopping);
    await purgeOutdated(deps, organizationId, stopping);
  }
}
