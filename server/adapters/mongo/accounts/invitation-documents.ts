import { foldEmail } from '../../../domain/account/email.js';
import type { Invitation } from '../../../ports/account-store.js';
import type { InvitationDocument } from '../engine/collections.js';
import { fromStored, toStored } from '../engine/documents.js';

/** Matches invitations that are neither accepted nor revoked. */
export const PENDING = { acceptedAt: null, revokedAt: null };

export function toInvitationDocument(org: string, invitation: Invitation): InvitationDocument {
  return { ...toStored(org, invitation), foldedEmail: foldEmail(invitation.email) };
}

export function toInvitation({ foldedEmail: _, ...document }: InvitationDocument): Invitation {
  return fromStored(document);
}
