import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Role } from '../../domain/account/role.js';
import { type Page, type PageQuery, pageOf, withOneMore } from '../../domain/page.js';
import { ConflictError, NotFoundError } from '../../errors.js';
import type { Member } from '../../ports/account-store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { assertStillOwner, transactAsOwner } from '../access/owner.js';
import { userOf } from '../access/user-of.js';
import { recordAudit } from '../audit/record-audit.js';

type MemberDeps = Pick<Deps, 'store' | 'now' | 'newId'>;

/** Returns the members of the organization, in the order of joining. */
export async function listMembers(
  { store }: Pick<Deps, 'store'>,
  { organizationId }: Caller,
  page: PageQuery,
): Promise<Page<Member>> {
  const found = await store.accounts.listMembers(organizationId, withOneMore(page));
  return pageOf(found, page.limit, ({ joinedAt, userId }) => ({ at: joinedAt, id: userId }));
}

/**
 * Changes the role of a member. It applies to their credentials from the next request on.
 *
 * @throws {NotFoundError} if the user is not a member of the organization
 * @throws {ConflictError} `last_owner` if no owner would be left
 */
export async function changeRole(deps: MemberDeps, caller: Caller, userId: string, role: Role): Promise<Member> {
  return transactAsOwner(deps, caller, async (unit) => {
    const member = await unit.accounts.findMember(userId);
    if (!member) throw new NotFoundError();
    if (member.role === role) return member;
    await assertOwnerLeft(unit, member);
    await unit.accounts.changeRole(userId, role);
    await recordAudit(deps, unit, caller, { action: 'member.update', metadata: { targetId: userId, role } });
    return { ...member, role };
  });
}

/**
 * Ends a membership: an owner ends any, a member their own. It revokes the member's tokens of this organization.
 * Inviting them again does not restore the tokens.
 *
 * @throws {NotFoundError} if the user is not a member of the organization
 * @throws {ForbiddenError} `owner_required` if a member who is not an owner removes another
 * @throws {ConflictError} `last_owner` if no owner would be left
 */
export async function removeMember(deps: MemberDeps, caller: Caller, userId: string): Promise<void> {
  await deps.store.transact(caller.organizationId, async (unit) => {
    // If two owners remove each other at the same moment, only one may succeed.
    if (userId !== userOf(caller)) await assertStillOwner(unit, caller);
    const member = await unit.accounts.findMember(userId);
    if (!member) throw new NotFoundError();
    await assertOwnerLeft(unit, member);
    await unit.accounts.removeMember(userId, deps.now(), userOf(caller));
    await recordAudit(deps, unit, caller, { action: 'member.remove', metadata: { targetId: userId } });
  });
}

async function assertOwnerLeft({ accounts }: UnitOfWork, { role }: Member): Promise<void> {
  if (role !== 'owner' || (await accounts.countOwners()) > 1) return;
  throw new ConflictError('last_owner', 'An organization needs at least one owner: make another member an owner first');
}
