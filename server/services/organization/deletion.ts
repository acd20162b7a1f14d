import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { isOpen } from '../../domain/billing/subscription.js';
import { invalid } from '../../domain/invalid.js';
import { ConflictError } from '../../errors.js';
import { assertOwner, transactAsOwner } from '../access/owner.js';
import { getOrganization } from './organizations.js';

/** Memories or rows that one step removes: few, so that other writers wait a short time. */
const MAX_REMOVED_PER_STEP = 40;
/** Steps of one attempt. Other deletions run in between. */
const MAX_STEPS = 50;
/**
 * How long after a deletion its data is removed again. By then every request that had begun before has ended, and every
 * process has written the counts that it held.
 */
const SETTLED_AFTER_US = 60_000_000;

/**
 * Deletes the organization: from now on nobody reaches it. A job removes its data.
 *
 * @param name repeats the name of the organization
 * @throws {UnprocessableError} if `name` is not the name
 * @throws {ConflictError} `subscription_open`
 */
export async function deleteOrganization(
  deps: Pick<Deps, 'store' | 'now' | 'logger'>,
  caller: Caller,
  name: string,
): Promise<void> {
  const { organizationId, requestId, actor } = caller;
  await assertOwner(deps, caller);
  const organization = await getOrganization(deps, caller);
  if (name.trim() !== organization.name.trim()) throw invalid('name', 'must be the name of the organization');
  await transactAsOwner(deps, caller, async (unit) => {
    if ((await unit.subscriptions.all()).some(isOpen)) {
      const message = 'The organization has an open subscription: cancel it first, then delete the organization';
      throw new ConflictError('subscription_open', message);
    }
    await unit.accounts.deleteOrganization(deps.now());
    await unit.enqueue({ name: 'delete-organization', data: { organizationId } });
  });
  deps.logger.info({ organizationId, userId: actor.id, requestId }, 'an organization was deleted');
}

/**
 * Continues to remove the data of a deleted organization. It is safe to run again after a process ended in the middle.
 *
 * @returns the delay before the next call, if more remains
 */
export async function goOnRemoving(
  { store, now, logger }: Pick<Deps, 'store' | 'now' | 'logger'>,
  organizationId: string,
): Promise<{ retryAfterMs: number } | undefined> {
  const { deletions } = store;
  const deletion = (await deletions.list()).find((each) => each.organizationId === organizationId);
  if (!deletion) return undefined;
  for (let step = 0; await deletions.removeSome(organizationId, MAX_REMOVED_PER_STEP); step += 1) {
    if (step === MAX_STEPS) return { retryAfterMs: 0 };
  }
  const unsettledUs = Math.min(deletion.deletedAt + SETTLED_AFTER_US - now(), SETTLED_AFTER_US);
  if (unsettledUs > 0) return { retryAfterMs: Math.ceil(unsettledUs / 1_000) };
  const pause = await store.scrub(organizationId);
  if (pause) return pause;
  await deletions.end(organizationId);
  logger.info({ organizationId }, 'the data of a deleted organization was removed');
  return undefined;
}

/** Removes all data of a deleted organization at once, if it has some left. Nothing else may use the store. */
export async function removeNow({ store }: Pick<Deps, 'store'>, organizationId: string): Promise<void> {
  while (await store.deletions.removeSome(organizationId, MAX_REMOVED_PER_STEP));
  await store.deletions.end(organizationId);
}
