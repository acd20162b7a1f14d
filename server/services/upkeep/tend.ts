import type { Deps } from '../../deps.js';
import { expireDue } from '../memories/expire.js';
import { purgeOutdated } from '../memories/purge.js';

/**
 * What the clock brings about in all organizations, the expiry of memories and the purge of what was deleted long ago.
 *
 * @param stopping ends it after the present step
 */
export async function tendAll(deps: Pick<Deps, 'store' | 'now' | 'newId'>, stopping?: AbortSignal): Promise<void> {
  for (const organizationId of await deps.store.accounts.organizationsToTend(deps.now())) {
    await expireDue(deps, { organizationId }, stopping);
    await purgeOutdated(deps, organizationId, stopping);
  }
}
