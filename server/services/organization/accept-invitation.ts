import type { Deps } from '../../deps.js';
import type { Caller, Origin } from '../../domain/account/caller.js';
import { foldEmail } from '../../domain/account/email.js';
import { isPending } from '../../domain/account/invitation.js';
import { assertPassword } from '../../domain/account/password.js';
import { digestSecret, isWellFormedSecret } from '../../domain/account/session.js';
import { InvitationInvalidError, UnprocessableError } from '../../errors.js';
import type { Invitation, Membership, User } from '../../ports/account-store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { admitAttempt, attemptOwner } from '../access/attempts.js';
import { recordAudit } from '../audit/record-audit.js';

type AcceptDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'rateLimiter' | 'passwords' | 'secretBox'>;

interface Acceptance {
  /** Token of the link. */
  token: string;
  email: string;
  /** Password of the account, or of the new one. */
  password?: string | undefined;
}

interface Accepted {
  user: User;
  organization: Membership;
}

/**
 * Makes the invitee a member. A new person gets an account. An existing user must give their password, since the
 * person who invited them may know the link.
 *
 * @throws {InvitationInvalidError} the same for a link that is wrong, used, revoked or expired, for another address
 *   and for a wrong password
 * @throws {UnprocessableError} if a new person gives no password, or one that is too short
 */
export async function acceptInvitation(deps: AcceptDeps, origin: Origin, given: Acceptance): Promise<Accepted> {
  await admitAttempt(deps, origin.ip, given.email);
  const { accounts } = deps.store;
  const invitation = await findPending(deps, given);
  const known = await accounts.findUserByEmail(invitation.email);
  const user = known
    ? await joinAsKnown(deps, origin, invitation, known, given)
    : await joinAsNew(deps, origin, invitation, given);
  const memberships = await accounts.membershipsOf(user.id);
  const organization = memberships.find(({ organizationId }) => organizationId === invitation.organizationId);
  // The member was removed before this answer was written.
  if (!organization) throw new InvitationInvalidError();
  return { user, organization };
}

async function findPending({ store, now }: AcceptDeps, { token, email }: Acceptance): Promise<Invitation> {
  const invitation = isWellFormedSecret(token)
    ? await store.accounts.findInvitationByDigest(digestSecret(token))
    : undefined;
  const isRight = invitation && isPending(invitation, now()) && foldEmail(invitation.email) === foldEmail(email);
  if (!isRight) throw new InvitationInvalidError();
  return invitation;
}

async function joinAsKnown(
  deps: AcceptDeps,
  origin: Origin,
  { id, organizationId }: Invitation,
  user: User,
  { password }: Acceptance,
): Promise<User> {
  const { passwordHash } = user;
  const isRight =
    passwordHash === undefined || (await deps.passwords.verify(password ?? '', passwordHash, attemptOwner(origin.ip)));
  if (!isRight) throw new InvitationInvalidError();
  await deps.store.transact(organizationId, (unit) => join(deps, unit, { origin, invitationId: id, user }));
  return user;
}

async function joinAsNew(deps: AcceptDeps, origin: Origin, invitation: Invitation, given: Acceptance): Promise<User> {
  const user = await newUser(deps, origin, invitation, given);
  const known = await deps.store.transact(invitation.organizationId, async (unit) => {
    const there = await unit.accounts.findUserByEmail(user.email);
    if (there) return there;
    await join(deps, unit, { origin, invitationId: invitation.id, user, isNew: true });
    return undefined;
  });
  // The same new person accepted another invitation while the password was hashed.
  return known ? joinAsKnown(deps, origin, invitation, known, given) : user;
}

async function newUser(
  { newId, passwords }: AcceptDeps,
  { ip }: Origin,
  { email }: Invitation,
  { password }: Acceptance,
): Promise<User> {
  if (password === undefined) {
    const message = 'is required for a new account';
    throw new UnprocessableError(`password ${message}`, [{ path: 'password', message }]);
  }
  assertPassword(password, 'password');
  return { id: newId(), email, passwordHash: await passwords.hash(password, attemptOwner(ip)) };
}

interface Joining {
  origin: Origin;
  invitationId: string;
  user: User;
  isNew?: boolean;
}

/** Checks again what may have changed while the password was hashed. */
async function join(deps: AcceptDeps, unit: UnitOfWork, { origin, invitationId, user, isNew }: Joining): Promise<void> {
  const { accounts } = unit;
  const at = deps.now();
  const invitation = await accounts.findInvitation(invitationId);
  if (!invitation || !isPending(invitation, at)) throw new InvitationInvalidError();
  if (isNew) await accounts.insertUser(user);
  const { role } = invitation;
  if (!(await accounts.findMember(user.id))) await accounts.insertMember({ userId: user.id, role, joinedAt: at });
  await accounts.acceptInvitation(invitationId, at);
  await recordAudit(deps, unit, inviteeAsCaller(unit, user, origin), {
    action: 'invitation.accept',
    metadata: { targetId: invitationId, role },
  });
}

/** Returns the invitee as a caller. They have no credential yet, and act by the link. */
function inviteeAsCaller({ organizationId }: UnitOfWork, { id }: User, origin: Origin): Caller {
  return {
    organizationId,
    actor: { type: 'user', id, userId: id },
    abilities: [],
    credentialId: id,
    source: 'dashboard',
    ...origin,
  };
}
