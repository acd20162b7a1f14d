import type { AuditEvent } from '../domain/account/audit-event.js';
import type { OrganizationSettings } from '../domain/account/organization.js';
import type { Role } from '../domain/account/role.js';
import type { SignInPlace } from '../domain/account/sign-in-places.js';
import type { Subscription } from '../domain/billing/subscription.js';
import type { PageQuery } from '../domain/page.js';
import type { Microseconds } from '../domain/timestamp.js';
import type { SignInLinkStore } from './sign-in-link-store.js';

/**
 * Stores organizations, users and their credentials (section 5). It is not scoped to an organization, since it finds
 * the organization of a request. Data of one organization is written through `accounts` of a unit of work.
 */
export interface AccountStore extends SessionStore, SignInLinkStore {
  /**
   * Stores an organization, its first owner and what else the founding has, all or none. The id must not be the one of
   * an organization whose deletion has not ended.
   *
   * @throws {OwnedLimitError}
   */
  createOrganization(founding: Founding): Promise<void>;
  /** Returns undefined for an unknown or malformed id. */
  findOrganization(organizationId: string): Promise<Organization | undefined>;

  organizationIds(): Promise<string[]>;
  /** Returns the organizations whose searched vectors are of another embedder, the oldest first. */
  embeddedOtherwise(fingerprint: string): Promise<{ organizationId: string; settings: OrganizationSettings }[]>;
  /** Returns the organizations whose settings have `deletedRetentionDays`, or a `nextExpiry` not after `now`. */
  organizationsToTend(now: Microseconds): Promise<string[]>;
  /** Returns undefined for an unknown or malformed id. */
  settings(organizationId: string): Promise<OrganizationSettings | undefined>;

  /** Returns undefined for an unknown or malformed id. */
  findUser(userId: string): Promise<User | undefined>;
  /** Compares addresses after `foldEmail`. */
  findUserByEmail(email: string): Promise<User | undefined>;

  /** Returns undefined if the user is not a member or the organization does not exist. */
  findRole(organizationId: string, userId: string): Promise<Role | undefined>;
  /** Returns the organizations of a user, the oldest first. */
  membershipsOf(userId: string): Promise<Membership[]>;
  /** Lists members by the time they joined; the id breaks ties. */
  listMembers(organizationId: string, page: PageQuery): Promise<Member[]>;
  /** Returns those of the users who are members, in any order. */
  findMembers(organizationId: string, userIds: readonly string[]): Promise<Member[]>;

  /**
   * Returns expired and revoked tokens too.
   *
   * @param organizationId if given, only the standing in this organization is returned
   */
  findTokenByDigest(digest: string, organizationId?: string): Promise<Identified<ApiToken> | undefined>;
  /** Returns the user's standing in each organization, the oldest organization first, or only in the one given. */
  standingsOf(userId: string, organizationId?: string): Promise<Standing[]>;
  /** Lists the organization's tokens by createdAt; the id breaks ties. */
  listTokens(organizationId: string, query: TokenQuery): Promise<ApiToken[]>;
  /** Returns those of the organization's tokens that exist, revoked ones too, in any order. */
  findTokens(organizationId: string, tokenIds: readonly string[]): Promise<ApiToken[]>;
  /**
   * Records that a token was used, to the minute and without waiting for the write. The record is lost if the store
   * cannot be written, since it is only displayed.
   */
  noteTokenUse(tokenId: string, at: Microseconds): void;

  /** Returns accepted, revoked and expired invitations too. */
  findInvitationByDigest(digest: string): Promise<Invitation | undefined>;
  /** Lists invitations that are neither accepted nor revoked, expired or not, by createdAt; the id breaks ties. */
  listInvitations(organizationId: string, page: PageQuery): Promise<Invitation[]>;
}

/** Stores sessions and passwords. They belong to a user, not to an organization. */
export interface SessionStore {
  /**
   * Stores a session, and deletes the user's expired sessions. Stores nothing if the password changed during the
   * sign-in, because the password change could not end this session.
   *
   * @param passwordHash hash that the password was checked against; undefined for a user without a password
   * @param signInPlaces replaces the user's places; if two sign-ins happen at once, one place may be lost
   * @returns true if `passwordHash` is still current and the session was stored
   */
  createSession(session: Session, passwordHash?: string, signInPlaces?: readonly SignInPlace[]): Promise<boolean>;
  /** @param organizationId if given, only the standing in this organization is returned */
  findSession(digest: string, organizationId?: string): Promise<Identified<Session> | undefined>;
  /** Stores the time of a session's last use. */
  touchSession(digest: string, at: Microseconds): Promise<void>;
  /** Lists the user's sessions that have not ended, by createdAt; the id breaks ties. */
  listSessions(userId: string, page: PageQuery & SessionsInUse): Promise<Session[]>;
  /** Does nothing if the session does not exist. */
  deleteSession(digest: string): Promise<void>;
  /** Deletes a session of the user by its id. Returns false if the user has no such session. */
  deleteSessionOf(userId: string, sessionId: string): Promise<boolean>;
  /**
   * Replaces the user's password hash, ends all sessions of the user but one, and voids their sign-in links, all or
   * none.
   *
   * @returns false, with nothing changed, if the stored hash is not `change.from`
   */
  exchangePassword(userId: string, change: PasswordExchange, keptSessionDigest?: string): Promise<boolean>;
  /**
   * Deletes sessions and sign-in links of all users whose `expiresAt` is before a time: at most `limit` of each, the
   * earliest first. It may run at the same time in several processes.
   *
   * @returns true if `limit` sessions or links were found, so that more may be left
   */
  deleteEndedSignIns(before: Microseconds, limit: number): Promise<boolean>;
  /**
   * Deletes invitations of all organizations that were accepted before a time, and those that were revoked before it: at
   * most `limit` of each, the earliest first. It may run at the same time in several processes.
   *
   * @returns true if more may be left
   */
  deleteSettledInvitations(before: Microseconds, limit: number): Promise<boolean>;
}

/** Account reads and writes of one unit of work, in its organization. Reads include earlier writes of the unit. */
export interface AccountUnit {
  findUserByEmail(email: string): Promise<User | undefined>;
  /** @throws {DuplicateUserError} here or from `transact` if the address belongs to another user */
  insertUser(user: User): Promise<void>;

  rename(name: string): Promise<void>;
  /**
   * Deletes the organization. From the commit on no credential, invitation, inbound request or unit of work reaches it.
   * `DeletionStore` removes its data. Call nothing else of the unit afterwards but `enqueue`.
   */
  deleteOrganization(at: Microseconds): Promise<void>;

  findMember(userId: string): Promise<Member | undefined>;
  countOwners(): Promise<number>;
  /** The user must not be a member yet. */
  insertMember(member: Pick<Member, 'userId' | 'role' | 'joinedAt'>): Promise<void>;
  changeRole(userId: string, role: Role): Promise<void>;
  /**
   * Ends a membership and revokes the user's tokens of this organization.
   *
   * @param by id of the user who does so
   */
  removeMember(userId: string, at: Microseconds, by?: string): Promise<void>;

  /** Returns revoked tokens too, and undefined for unknown and malformed ids. */
  findToken(tokenId: string): Promise<ApiToken | undefined>;
  insertToken(token: ApiToken): Promise<void>;
  /** Counts the user's tokens of this organization that are neither revoked nor expired at `at`. */
  countLiveTokens(userId: string, at: Microseconds): Promise<number>;
  /** @param by id of the user who revokes it */
  revokeToken(tokenId: string, at: Microseconds, by?: string): Promise<void>;

  /** Returns an invitation in any state, and undefined for unknown and malformed ids. */
  findInvitation(invitationId: string): Promise<Invitation | undefined>;
  insertInvitation(invitation: Invitation): Promise<void>;
  /** Revokes the pending invitations of an address, so that only its newest link works. */
  revokeInvitationsTo(email: string, at: Microseconds): Promise<void>;
  revokeInvitation(invitationId: string, at: Microseconds): Promise<void>;
  acceptInvitation(invitationId: string, at: Microseconds): Promise<void>;
}

export interface Organization {
  /** UUID. */
  id: string;
  name: string;
  createdAt: Microseconds;
}

export interface Founding {
  organization: Organization;
  /** If a user with this id exists, it is not changed. */
  owner: User;
  /** First token of the owner. */
  token?: ApiToken;
  audit?: AuditEvent;
  /** Number of organizations that the owner may own, this one included. If undefined, any number. */
  maxOwned?: number;
}

/** The owner of a new organization already owns as many as they may. */
export class OwnedLimitError extends Error {
  override name = 'OwnedLimitError';
}

export interface User {
  /** UUID. */
  id: string;
  /** Spelled as the user gave it. */
  email: string;
  /** Undefined for a user without a password, who cannot sign in. */
  passwordHash?: string;
  /** Address blocks of recent sign-ins, the newest first. */
  signInPlaces?: readonly SignInPlace[];
}

export interface Membership {
  organizationId: string;
  name: string;
  role: Role;
}

/** A user's role in an organization, with the settings of the organization. */
export interface Standing {
  organizationId: string;
  role: Role;
  settings: OrganizationSettings;
  /** Undefined if the store does not read subscriptions together with standings. */
  subscriptions?: readonly Subscription[];
}

/** A credential with the standings of its user, in the order of `standingsOf`. */
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
  /** Organization that lists and revokes the token. Its abilities and its user's memberships decide its access. */
  organizationId: string;
  userId: string;
  name: string;
  /** SHA-256 of the token, hex. The token itself is not stored. */
  digest: string;
  /** First characters; with `lastFour`, they help people to recognize a token. */
  prefix: string;
  lastFour: string;
  abilities: readonly string[];
  createdAt: Microseconds;
  expiresAt?: Microseconds;
  revokedAt?: Microseconds;
  /** Id of the user who revoked it; undefined if unknown. */
  revokedBy?: string;
  /** Precise to the minute. */
  lastUsedAt?: Microseconds;
}

export interface TokenQuery extends PageQuery {
  /** If given, only the tokens of this user. */
  userId?: string;
  /** Default: false. */
  includeRevoked?: boolean;
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
  /** Time at which it ends, even if it is in use. */
  expiresAt: Microseconds;
  /** Address that the sign-in came from. */
  ip?: string;
  /** Software that signed in, as it names itself. */
  userAgent?: string;
}

/** Selects the sessions that have not ended. */
export interface SessionsInUse {
  now: Microseconds;
  /** Exclusive: a session that was last used then has ended. */
  usedAfter: Microseconds;
}

export interface PasswordExchange {
  /** Hash of the present password; undefined for a user without a password. */
  from: string | undefined;
  to: string;
}

/** The address belongs to another user. */
export class DuplicateUserError extends Error {
  override name = 'DuplicateUserError';
}
