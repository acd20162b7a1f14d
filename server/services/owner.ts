import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import { ForbiddenError } from '../errors.js';

/**
 * Lets owners pass, by the role that the caller's user has at this moment (section 5.4).
 *
 * @throws {ForbiddenError} `owner_required`
 */
export async function assertOwner(
  { store }: Pick<Deps, 'store'>,
  { organizationId, actor }: Pick<Caller, 'organizationId' | 'actor'>,
): Promise<void> {
  const userId = actor.type === 'user' ? actor.id : actor.userId;
  const role = userId === undefined ? undefined : await store.accounts.findRole(organizationId, userId);
  if (role !== 'owner') throw new ForbiddenError('owner_required', 'Only owners of the organization may do this');
}
