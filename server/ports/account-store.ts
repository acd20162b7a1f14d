import type { OrganizationSettings } from '../domain/account/organization.js';
import type { Role } from '../domain/account/role.js';
import type { Subscription } from '../domain/billing/subscription.js';
import type { PageQuery } from '../domain/page.js';
import type { Microseconds } from '../domain/timestamp.js';

/**
 * Organizations, people, and what people prove themselves by (part 5). Not
 * scoped to an organization: it is what finds the scope. What belongs to one
 * organization is written through the `accounts` of a unit of work.
 */
export interface AccountStore extends SessionStore {
  /** Stores an organization with its first owner and that owner's first token, all or none. */
  createOrganization(founding: Founding): Promise<void>;

  organizationIds(): Promise<string[]>;
  /** Ids of the organizations whose settings have `deletedRetentionDays`, or a `nextExpiry` up to now. */
  organizationsToTend(now: Microseconds): Promise<string[]>;
  /** Undefined for an unknown or malformed id. */
  settings(organizationId: string): Promise<OrganizationSettings | undefined>;

  /** Undefined for an unknown or malformed id. */
  findUser(userId: string): Promise<User | undefined>;
  /** Addresses that `foldEmail` makes equal are one. */
  findUserByEmail(email: string): Promise<User | undefined>;

  /** Undefined when the user is no member of the organization, or there is no such organization. */
  findRole(organizationId: string, userId: string): Promise<Role | undefined>;
  /** The organizations of a user, in the order of their founding. */
  membershipsOf(userId: string): Promise<Membership[]>;
  /** In the order of joining, the id breaking ties. */
  listMembers(organizationId: string, page: PageQuery): Promise<Member[]>;

  /** Expired and revoked tokens included. @param organizationId the only one to look for a standing in, where it is given */
  findTokenByDigest(digest: string, organizationId?: string): Promise<Identified<ApiToken> | undefined>;
  /** What a user is in each of their organizations, in the order of their founding, or in the one that is given. */
  standingsOf(userId: string, organizationId?: string): Promise<Standing[]>;
  /** Tokens made in the organization that are not revoked, in the order of creation, the id breaking ties. */
  listTokens(organizationId: string, page: PageQuery & { userId?: string }): Promise<ApiToken[]>;
  /**
   * Remembers that a token was used. Kept to the minute, not waited for, and
   * lost where the store cannot be written: it is for people to look at.
   */
  noteTokenUse(tokenId: string, at: Microseconds): void;

  /** Accepted, revoked and expired ones included. */
  findInvitationByDigest(digest: string): Promise<Invitation | undefined>;
  /** Neither accepted nor revoked, expired ones included, in the order of creation, the id breaking ties. */
  listInvitations(organizationId: string, page: PageQuery): Promise<Invitation[]>;
}

/** What people sign in with. Belongs to a user, whatever the organizations. */
export interface SessionStore {
  /**
   * Stores a session, and forgets those of the user that have expired by then. Whoever signs in with a password
   * while it is exchanged would be left with a session that nobody ends: then nothing is stored.
   *
   * @param passwordHash what the password was checked against; none for a user who has none
   * @returns whether that is what it is checked against still, and the session stored
   */
  createSession(session: Session, passwordHash?: string): Promise<boolean>;
  /** @param organizationId the only one to look for a standing in, where it is given */
  findSession(digest: string, organizationId?: string): Promise<Identified<Session> | undefined>;
  /** Remembers when a session was used last. */
  touchSession(digest: string, at: Microseconds): Promise<void>;
  /** No fault when there is none. */
  deleteSession(digest: string): Promise<void>;
  /**
   * Replaces what the user's password is checked against and ends the user's sessions but one, all or none.
   *
   * @returns whether it was checked against `change.from` still; nothing is changed otherwise
   */
  exchangePassword(userId: string, change: PasswordExchange, keptSessionDigest?: string): Promise<boolean>;
}

/** Account writes of one unit of work, bound to its organization. Reads see what the unit wrote before. */
export interface AccountUnit {
  findUserByEmail(email: string): Promise<User | undefined>;
  /** @throws {DuplicateUserError} here or from `transact` when the address belongs to another user */
  insertUser(user: User): Promise<void>;

  findMember(userId: string): Promise<Member | undefined>;
  countOwners(): Promise<number>;
  /** The user must not be a member yet. */
  insertMember(member: Pick<Member, 'userId' | 'role' | 'joinedAt'>): Promise<void>;
  changeRole(userId: string, role: Role): Promise<void>;
  /** Ends a membership and revokes the tokens that the user made in this organization. */
  removeMember(userId: string, at: Microseconds): Promise<void>;

  /** Of this organization; revoked ones included. Undefined for malformed ids too. */
  findToken(tokenId: string): Promise<ApiToken | undefined>;
  insertToken(token: ApiToken): Promise<void>;
  revokeToken(tokenId: string, at: Microseconds): Promise<void>;

  /** Of this organization, in whatever state. Undefined for malformed ids too. */
  findInvitation(invitationId: string): Promise<Invitation | undefined>;
  insertInvitation(invitation: Invitation): Promise<void>;
  /** Revokes what is pending for an address, so that its newest link is the only one. */
  revokeInvitationsTo(email: string, at: Microseconds): Promise<void>;
  revokeInvitation(invitationId: string, at: Microseconds): Promise<void>;
  acceptInvitation(invitationId: string, at: Microseconds): Promise<void>;
}

export interface Founding {
  organization: { id: string; name: string; createdAt: Microseconds };
  /** A user with this id who exists already stays as is. */
  owner: User;
  token: ApiToken;
}

export interface User {
  /** UUID. */
  id: string;
  /** As it was given. */
  email: string;
  /** Undefined for a user who has no password and so cannot sign in. */
  passwordHash?: string;
}

export interface Membership {
  organizationId: string;
  name: string;
  role: Role;
}

/** What a user is in an organization, and how that is set. */
export interface Standing {
  organizationId: string;
  role: Role;
  settings: OrganizationSettings;
  /** What the organization pays for, from a store that reads it along. */
  subscriptions?: readonly Subscription[];
}

/** What somebody proved themselves by, and their standings as `standingsOf` gives them, read along with it. */
export interface Identified<Credential> {
  credential: Credential;
  standings: readonly Standing[];
}

export interface Member {
  userId: string;
  email: string;
  role: Role;
  joinedAt: Microseconds;
}

export interface ApiToken {
  /** UUID. */
  id: string;
  /** Where it was made, and is listed and revoked. What it reaches is said by its abilities and its user's memberships. */
  organizationId: string;
  userId: string;
  name: string;
  /** SHA-256 of the token, hex. The token itself is stored nowhere. */
  digest: string;
  /** First and last characters, for people to tell tokens apart. */
  prefix: string;
  lastFour: string;
  abilities: readonly string[];
  createdAt: Microseconds;
  expiresAt?: Microseconds;
  revokedAt?: Microseconds;
  /** Kept to the minute. */
  lastUsedAt?: Microseconds;
}

export interface Invitation {
  /** UUID. */
  id: string;
  organizationId: string;
  email: string;
  role: Role;
  /** SHA-256 of the token in the link, hex. */
  digest: string;
  /** The user who invited. */
  invitedBy: string;
  createdAt: Microseconds;
  expiresAt: Microseconds;
  acceptedAt?: Microseconds;
  revokedAt?: Microseconds;
}

export interface Session {
  /** UUID. */
  id: string;
  /** SHA-256 of the secret in the cookie, hex. */
  digest: string;
  userId: string;
  createdAt: Microseconds;
  lastUsedAt: Microseconds;
  /** Whatever its use. */
  expiresAt: Microseconds;
}

export interface PasswordExchange {
  /** What the present password was checked against; undefined for a user who has none. */
  from: string | undefined;
  to: string;
}

/** The address belongs to a user already. */
export class DuplicateUserError extends Error {
  override name = 'DuplicateUserError';
}
