import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Role } from '../../domain/account/role.js';
import { ForbiddenError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/store.js';

/** @throws {ForbiddenError} `owner_required` unless the role is one of those allowed */
export function assertRole(role: Role | undefined, allowed: readonly Role[]): void {
  if (role !== undefined && allowed.includes(role)) return;
  throw new ForbiddenError('owner_required', 'Only owners of the organization may do this');
}

type Actor = Pick<Caller, 'organizationId' | 'actor'>;

/**
 * Lets owners pass, by the role that the caller's user has at this moment (section 5.4).
 *
 * @throws {ForbiddenError} `owner_required`
 */
export async function assertOwner({ store }: Pick<Deps, 'store'>, caller: Actor): Promise<void> {
  const userId = userIdOf(caller);
  const role = userId === undefined ? undefined : await store.accounts.findRole(caller.organizationId, userId);
  assertRole(role, ['owner']);
}

/**
 * Runs a unit of work of an owner. Looks at the role once more within it: who
 * is removed or becomes less at the same moment has nothing done any more.
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

/** @throws {ForbiddenError} `owner_required` */
export async function assertStillOwner({ accounts }: UnitOfWork, caller: Actor): Promise<void> {
  const userId = userIdOf(caller);
  const role = userId === undefined ? undefined : (await accounts.findMember(userId))?.role;
  assertRole(role, ['owner']);
}

function userIdOf({ actor }: Actor): string | undefined {
  return actor.type === 'user' ? actor.id : actor.userId;
}
