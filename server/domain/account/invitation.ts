import { formatTimestamp, type Microseconds } from '../timestamp.js';
import type { Role } from './role.js';

/** Time after which an invitation expires. */
export const INVITATION_LIFETIME_US: Microseconds = 7 * 24 * 3_600_000_000;

const CONTROL = /\p{C}+/gu;

/** Time after which an accepted or revoked invitation is deleted. */
export const SETTLED_INVITATION_KEPT_US: Microseconds = 30 * 24 * 3_600_000_000;

/** Returns the link for the invitee: absolute if the public URL of the service is known, otherwise relative. */
export function invitationLink(publicUrl: string | undefined, token: string): string {
  return `${publicUrl ?? ''}/invitations/accept/${token}`;
}

/** Reports if an invitation can still be accepted. */
export function isPending(
  {
    acceptedAt,
    revokedAt,
    expiresAt,
  }: { acceptedAt?: Microseconds; revokedAt?: Microseconds; expiresAt: Microseconds },
  now: Microseconds,
): boolean {
  return acceptedAt === undefined && revokedAt === undefined && now < expiresAt;
}

export function invitationMail({ organization, inviter, link, role, expiresAt }: InvitationText): {
  subject: string;
  text: string;
} {
  const name = organization.replace(CONTROL, ' ').trim();
  return {
    subject: `Invitation to ${name}`,
    text: `${inviter} invites you to join ${name} on Memory Service as ${role}.

Accept the invitation here, until ${formatTimestamp(expiresAt).slice(0, 16).replace('T', ' ')} UTC:

${link}

If you did not expect this, do nothing.
`,
  };
}

interface InvitationText {
  organization: string;
  /** Mail address of the user who invites. */
  inviter: string;
  link: string;
  role: Role;
  expiresAt: Microseconds;
}
