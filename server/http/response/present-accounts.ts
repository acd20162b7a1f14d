import { formatTimestamp } from '../../domain/timestamp.js';
import type { Invitation, Member, Membership, Organization, Session } from '../../ports/account-store.js';
import type { Self } from '../../services/access/who-am-i.js';
import type { ListedToken } from '../../services/organization/tokens.js';
import type * as wire from '../contract/wire.js';

/** Returns a token for a listing: recognizable, but without its secret part. */
export function presentToken(token: ListedToken): wire.ApiToken {
  const { id, name, userId, prefix, lastFour, abilities, createdAt, expiresAt, lastUsedAt } = token;
  const { revokedAt, revokedBy, revokedByEmail } = token;
  return {
    id,
    name,
    userId,
    prefix,
    lastFour,
    abilities: [...abilities],
    createdAt: formatTimestamp(createdAt),
    ...(expiresAt !== undefined && { expiresAt: formatTimestamp(expiresAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: formatTimestamp(lastUsedAt) }),
    ...(revokedAt !== undefined && { revokedAt: formatTimestamp(revokedAt) }),
    ...(revokedBy !== undefined && { revokedBy }),
    ...(revokedByEmail !== undefined && { revokedByEmail }),
  };
}

export function presentOrganization({ id, name, createdAt }: Organization): wire.Organization {
  return { id, name, createdAt: formatTimestamp(createdAt) };
}

export function presentMember({ userId, email, role, joinedAt }: Member): wire.Member {
  return { userId, email, role, joinedAt: formatTimestamp(joinedAt) };
}

/** Returns an invitation without its link, which only the invitee has. */
export function presentInvitation({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation): wire.Invitation {
  return { id, email, role, invitedBy, createdAt: formatTimestamp(createdAt), expiresAt: formatTimestamp(expiresAt) };
}

export function presentSelf({ user, credential, organization, organizations, csrfToken }: Self): wire.SessionInfo {
  const { type, id, name, abilities, expiresAt } = credential;
  return {
    user: { id: user.id, email: user.email },
    credential: {
      type,
      id,
      ...(name !== undefined && { name }),
      abilities,
      ...(expiresAt !== undefined && { expiresAt: formatTimestamp(expiresAt) }),
    },
    organization: organization ? presentMembership(organization) : null,
    organizations: organizations.map(presentMembership),
    ...(csrfToken !== undefined && { csrfToken }),
  };
}

/** @param currentId id of the session of the request */
export function presentSession(session: Session, currentId: string | undefined): wire.Session {
  const { id, createdAt, lastUsedAt, expiresAt, ip, userAgent } = session;
  return {
    id,
    createdAt: formatTimestamp(createdAt),
    lastUsedAt: formatTimestamp(lastUsedAt),
    expiresAt: formatTimestamp(expiresAt),
    ...(userAgent !== undefined && { userAgent }),
    ...(ip !== undefined && { ip }),
    current: id === currentId,
  };
}

export function presentMembership({ organizationId, name, role }: Membership): wire.Membership {
  return { id: organizationId, name, role };
}
