import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { parseEmail } from '../../domain/account/email.js';
import { INVITATION_LIFETIME_US, invitationLink, invitationMail } from '../../domain/account/invitation.js';
import type { Role } from '../../domain/account/role.js';
import { createSecret, digestSecret } from '../../domain/account/session.js';
import { byCreation, type Page, type PageQuery, pageOf, withOneMore } from '../../domain/page.js';
import { ConflictError, NotFoundError, UnavailableError } from '../../errors.js';
import type { Invitation } from '../../ports/account-store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { transactAsOwner } from '../access/owner.js';
import { userOf } from '../access/user-of.js';
import { recordAudit } from '../audit/record-audit.js';

type RevokeDeps = Pick<Deps, 'store' | 'now' | 'newId'>;
type InvitationDeps = RevokeDeps & Pick<Deps, 'access' | 'mailer'>;

const MAIL_RETRY_AFTER_SECONDS = 60;

interface Invited {
  invitation: Invitation;
  /** The link for the invitee; undefined if it was sent by mail. */
  link?: string;
}

/**
 * Invites a person to the organization, and replaces an earlier invitation to the same address. The link is sent by
 * mail if the service can send mail. Otherwise the caller gets it.
 *
 * @throws {ConflictError} `already_member`
 * @throws {UnavailableError} if the mail could not be sent; the invitation is revoked then
 */
export async function invite(
  deps: InvitationDeps,
  caller: Caller,
  input: { email: string; role: Role },
): Promise<Invited> {
  const { organizationId } = caller;
  const email = parseEmail(input.email, 'email');
  const token = createSecret();
  const invitation = await transactAsOwner(deps, caller, async (unit) => {
    const known = await unit.accounts.findUserByEmail(email);
    if (known && (await unit.accounts.findMember(known.id))) {
      throw new ConflictError('already_member', 'This person is already a member of the organization');
    }
    const createdAt = deps.now();
    const made: Invitation = {
      id: deps.newId(),
      organizationId,
      email,
      role: input.role,
      digest: digestSecret(token),
      invitedBy: userOf(caller),
      createdAt,
      expiresAt: createdAt + INVITATION_LIFETIME_US,
    };
    await unit.accounts.revokeInvitationsTo(email, createdAt);
    await unit.accounts.insertInvitation(made);
    await recordAudit(deps, unit, caller, {
      action: 'invitation.create',
      metadata: { targetId: made.id, role: made.role },
    });
    return made;
  });
  const link = invitationLink(deps.access.publicUrl, token);
  if (!deps.mailer) return { invitation, link };
  await send(deps, caller, invitation, link);
  return { invitation };
}

/** Returns pending and expired invitations, oldest first. */
export async function listInvitations(
  { store }: Pick<Deps, 'store'>,
  { organizationId }: Caller,
  page: PageQuery,
): Promise<Page<Invitation>> {
  const found = await store.accounts.listInvitations(organizationId, withOneMore(page));
  return pageOf(found, page.limit, byCreation);
}

/**
 * Revokes an invitation.
 *
 * @throws {NotFoundError} for one that is unknown, foreign, accepted or revoked
 */
export async function revokeInvitation(deps: RevokeDeps, caller: Caller, invitationId: string): Promise<void> {
  const isRevoked = await transactAsOwner(deps, caller, (unit) => revokePending(deps, unit, caller, invitationId));
  if (!isRevoked) throw new NotFoundError();
}

/** Reports if there was an invitation to revoke. */
async function revokePending(
  deps: RevokeDeps,
  unit: UnitOfWork,
  caller: Caller,
  invitationId: string,
): Promise<boolean> {
  const invitation = await unit.accounts.findInvitation(invitationId);
  if (!invitation || invitation.acceptedAt !== undefined || invitation.revokedAt !== undefined) return false;
  await unit.accounts.revokeInvitation(invitationId, deps.now());
  await recordAudit(deps, unit, caller, { action: 'invitation.revoke', metadata: { targetId: invitationId } });
  return true;
}

async function send(deps: InvitationDeps, caller: Caller, invitation: Invitation, link: string): Promise<void> {
  const { accounts } = deps.store;
  const { email, role, expiresAt } = invitation;
  const inviter = await accounts.findUser(invitation.invitedBy);
  const memberships = await accounts.membershipsOf(invitation.invitedBy);
  const organization = memberships.find(({ organizationId }) => organizationId === caller.organizationId);
  const text = { organization: organization?.name ?? '', inviter: inviter?.email ?? '', link, role, expiresAt };
  try {
    await deps.mailer?.send({ to: email, ...invitationMail(text) });
  } catch (error) {
    // Revokes it unless a later one replaced it: nobody has the link, so it would only fill the list.
    await deps.store.transact(caller.organizationId, (unit) => revokePending(deps, unit, caller, invitation.id));
    throw new UnavailableError('The invitation could not be sent: try again', MAIL_RETRY_AFTER_SECONDS, error);
  }
}
