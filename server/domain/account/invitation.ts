import { formatTimestamp, type Microseconds } from '../timestamp.js';
import type { Role } from './role.js';

/** How long an invitation can be accepted. */
export const INVITATION_LIFETIME: Microseconds = 7 * 24 * 3_600_000_000;

const CONTROL = /\p{C}+/gu;

/** Where an invitee goes: below the address that people reach the service at, or relative to it where that is not known. */
export function invitationLink(publicUrl: string | undefined, token: string): string {
  return `${publicUrl ?? ''}/invitations/accept/${token}`;
}

/** Whether an invitation can still be accepted. */
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

/** The mail that brings an invitation. */
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
  /** Address of who invites. */
  inviter: string;
  link: string;
  role: Role;
  expiresAt: Microseconds;
}
