import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Role } from '../../domain/account/role.js';
import { ForbiddenError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';

export function assertRole(role: Role | undefined, allowed: readonly Role[]): void {
  if (role !== undefined && allowed.includes(role)) return;
  throw new ForbiddenError('owner_required', 'Only owners of the organization may do this');
}

type Actor = Pick<Caller, 'organizationId' | 'actor'>;

/**
 * Rejects a caller whose user is not an owner at this moment (section 5.4).
 *
 * @throws {ForbiddenError} `owner_required`
 */
export async function assertOwner({ store }: Pick<Deps, 'store'>, caller: Actor): Promise<void> {
  const userId = userIdOf(caller);
  const role = userId === undefined ? undefined : await store.accounts.findRole(caller.organizationId, userId);
  assertRole(role, ['owner']);
}

/**
 * Runs a unit of work of an owner. It checks the role again in the unit: an owner who was removed or demoted at the
 * same moment changes nothing.
 *
 * @throws {ForbiddenError} `owner_required`
 */
export async function transactAsOwner<T>(
  { store }: Pick<Deps, 'store'>,
  caller: Actor,
  work: (unit: UnitOfWork) => Promise<T>,
): Promise<T> {
  return store.transact(caller.organizationId, async (unit) => {
    await assertStillOwner(unit, caller);
    return work(unit);
  });
}

export async function assertStillOwner({ accounts }: UnitOfWork, caller: Actor): Promise<void> {
  const userId = userIdOf(caller);
  const role = userId === undefined ? undefined : (await accounts.findMember(userId))?.role;
  assertRole(role, ['owner']);
}

function userIdOf({ actor }: Actor): string | undefined {
  return actor.type === 'user' ? actor.id : actor.userId;
}
