import type { AuditEvent } from '../../../domain/account/audit-event.js';
import { FIRST_SETTINGS, type OrganizationSettings } from '../../../domain/account/organization.js';
import type { Role } from '../../../domain/account/role.js';
import type { SignInPlace } from '../../../domain/account/sign-in-places.js';
import { TokenUses } from '../../../domain/account/token-uses.js';
import type { PageQuery } from '../../../domain/page.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import {
  type AccountStore,
  type ApiToken,
  type Founding,
  type Identified,
  type Invitation,
  type Member,
  type Membership,
  type Organization,
  OwnedLimitError,
  type PasswordExchange,
  type Session,
  type SessionsInUse,
  type Standing,
  type TokenQuery,
  type User,
} from '../../../ports/account-store.js';
import type { Redemption, SignInLink } from '../../../ports/sign-in-link-store.js';
import type { Connection } from '../engine/connection.js';
import type { Database } from '../engine/database.js';
import { type Organizations, readState } from '../engine/organizations.js';
import type { Writer } from '../engine/writer.js';
import * as invitations from './invitation-rows.js';
import * as members from './member-rows.js';
import type { RememberedTokens } from './remembered-tokens.js';
import * as sessions from './session-rows.js';
import * as links from './sign-in-link-rows.js';
import * as tokens from './token-rows.js';

/** Stores an audit event of an organization, in the open transaction. */
type RecordAudit = (connection: Connection, org: number, event: AuditEvent) => void;

/** Greater than every key ever used, since readers and caches may still know the key of a deleted organization. */
const NEXT_KEY = `(1 + max(coalesce((SELECT max(key) FROM organizations), 0),
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'deleted_organizations'), 0)))`;

export class SqliteAccountStore implements AccountStore {
  readonly #database: Database;
  readonly #writing: Connection;
  readonly #writer: Writer;
  readonly #organizations: Organizations;
  readonly #tokenUses: TokenUses;
  readonly #remembered: RememberedTokens;
  readonly #recordAudit: RecordAudit;

  constructor(
    database: Database,
    writer: Writer,
    organizations: Organizations,
    { remembered, recordAudit }: { remembered: RememberedTokens; recordAudit: RecordAudit },
  ) {
    this.#recordAudit = recordAudit;
    this.#database = database;
    this.#remembered = remembered;
    this.#writing = database.writer;
    this.#writer = writer;
    this.#organizations = organizations;
    this.#tokenUses = new TokenUses((tokenId, at) =>
      this.#write(async () => tokens.touchToken(this.#writing, tokenId, at)),
    );
  }

  async createOrganization({ organization, owner, token, audit, maxOwned }: Founding): Promise<void> {
    await this.#write(async () => {
      if (maxOwned !== undefined && members.countOwned(this.#writing, owner.id) >= maxOwned)
        throw new OwnedLimitError();
      const { rowId: org } = this.#writing.run(
        `INSERT INTO organizations (key, id, name, created_at, settings) VALUES (${NEXT_KEY}, ?, ?, ?, ?)`,
        organization.id,
        organization.name,
        organization.createdAt,
        JSON.stringify(FIRST_SETTINGS),
      );
      if (!members.findUser(this.#writing, owner.id)) members.insertUser(this.#writing, owner);
      const joinedAt = organization.createdAt;
      members.insertMember(this.#writing, org, { userId: owner.id, role: 'owner', joinedAt });
      if (token) tokens.insertToken(this.#writing, org, token);
      if (audit) this.#recordAudit(this.#writing, org, audit);
    });
  }

  async findOrganization(organizationId: string): Promise<Organization | undefined> {
    const sql = 'SELECT id, name, created_at AS createdAt FROM current_organizations WHERE id = ?';
    const row = this.#reader.get<Organization>(sql, organizationId);
    return row && { ...row };
  }

  async organizationIds(): Promise<string[]> {
    return this.#reader.all<{ id: string }>('SELECT id FROM current_organizations ORDER BY key').map(({ id }) => id);
  }

  async embeddedOtherwise(fingerprint: string): Promise<{ organizationId: string; settings: OrganizationSettings }[]> {
    const sql = "SELECT id FROM current_organizations WHERE settings ->> 'embeddingFingerprint' <> ? ORDER BY key";
    const found = this.#reader.all<{ id: string }>(sql, fingerprint);
    const read = found.map(async ({ id }) => ({ organizationId: id, settings: await this.settings(id) }));
    return (await Promise.all(read)).flatMap(({ organizationId, settings }) =>
      settings ? [{ organizationId, settings }] : [],
    );
  }

  async organizationsToTend(now: Microseconds): Promise<string[]> {
    const sql = `SELECT id FROM current_organizations WHERE settings ->> 'deletedRetentionDays' > 0
      OR settings ->> 'nextExpiry' <= ?`;
    return this.#reader.all<{ id: string }>(sql, now).map(({ id }) => id);
  }

  async settings(organizationId: string): Promise<OrganizationSettings | undefined> {
    const org = this.#organizations.keyOf(organizationId);
    return org === undefined ? undefined : readState(this.#reader, org)?.settings;
  }

  async findUser(userId: string): Promise<User | undefined> {
    return members.findUser(this.#reader, userId);
  }

  async findUserByEmail(email: string): Promise<User | undefined> {
    return members.findUserByEmail(this.#reader, email);
  }

  async findRole(organizationId: string, userId: string): Promise<Role | undefined> {
    const sql =
      'SELECT role FROM memberships WHERE org = (SELECT key FROM current_organizations WHERE id = ?) AND user_id = ?';
    return this.#reader.get<{ role: Role }>(sql, organizationId, userId)?.role;
  }

  async membershipsOf(userId: string): Promise<Membership[]> {
    return members.membershipsOf(this.#reader, userId);
  }

  async listMembers(organizationId: string, page: PageQuery): Promise<Member[]> {
    return this.#listed(organizationId, (org) => members.listMembers(this.#reader, org, page));
  }

  async findMembers(organizationId: string, userIds: readonly string[]): Promise<Member[]> {
    return this.#listed(organizationId, (org) => members.findMembers(this.#reader, org, userIds));
  }

  async findTokenByDigest(digest: string, organizationId?: string): Promise<Identified<ApiToken> | undefined> {
    return this.#remembered.find(digest, organizationId, () =>
      this.#identified(tokens.findTokenByDigest(this.#reader, digest), organizationId),
    );
  }

  async standingsOf(userId: string, organizationId?: string): Promise<Standing[]> {
    return members.standingsOf(this.#reader, userId, organizationId);
  }

  async listTokens(organizationId: string, query: TokenQuery): Promise<ApiToken[]> {
    return this.#listed(organizationId, (org) => tokens.listTokens(this.#reader, org, query));
  }

  async findTokens(organizationId: string, tokenIds: readonly string[]): Promise<ApiToken[]> {
    return this.#listed(organizationId, (org) => tokens.findTokens(this.#reader, org, tokenIds));
  }

  noteTokenUse(tokenId: string, at: Microseconds): void {
    this.#tokenUses.note(tokenId, at);
  }

  async findInvitationByDigest(digest: string): Promise<Invitation | undefined> {
    return invitations.findInvitationByDigest(this.#reader, digest);
  }

  async listInvitations(organizationId: string, page: PageQuery): Promise<Invitation[]> {
    return this.#listed(organizationId, (org) => invitations.listInvitations(this.#reader, org, page));
  }

  async createSession(
    session: Session,
    passwordHash?: string,
    signInPlaces?: readonly SignInPlace[],
  ): Promise<boolean> {
    return this.#write(async () => {
      if (!sessions.insertSession(this.#writing, session, passwordHash)) return false;
      if (signInPlaces) members.replaceSignInPlaces(this.#writing, session.userId, signInPlaces);
      return true;
    });
  }

  async findSession(digest: string, organizationId?: string): Promise<Identified<Session> | undefined> {
    return this.#identified(sessions.findSession(this.#reader, digest), organizationId);
  }

  async touchSession(digest: string, at: Microseconds): Promise<void> {
    await this.#write(async () => sessions.touchSession(this.#writing, digest, at));
  }

  async deleteSession(digest: string): Promise<void> {
    await this.#write(async () => sessions.deleteSession(this.#writing, digest));
  }

  async listSessions(userId: string, page: PageQuery & SessionsInUse): Promise<Session[]> {
    return sessions.listSessions(this.#reader, userId, page);
  }

  async deleteSessionOf(userId: string, sessionId: string): Promise<boolean> {
    return this.#write(async () => sessions.deleteSessionOf(this.#writing, userId, sessionId));
  }

  async exchangePassword(userId: string, change: PasswordExchange, keptSessionDigest = ''): Promise<boolean> {
    return this.#write(async () => sessions.exchangePassword(this.#writing, userId, change, keptSessionDigest));
  }

  async deleteEndedSignIns(before: Microseconds, limit: number): Promise<boolean> {
    return this.#write(async () => {
      const deletedSessions = sessions.deleteEndedSessions(this.#writing, before, limit);
      const deletedLinks = links.deleteEndedLinks(this.#writing, before, limit);
      return deletedSessions === limit || deletedLinks === limit;
    });
  }

  async deleteSettledInvitations(before: Microseconds, limit: number): Promise<boolean> {
    const deleted = await this.#write(async () => invitations.deleteSettledInvitations(this.#writing, before, limit));
    return deleted === limit;
  }

  async insertSignInLink(link: SignInLink, mostOfPassword = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    return this.#write(async () => links.insertSignInLink(this.#writing, link, mostOfPassword));
  }

  async findSignInLink(digest: string): Promise<SignInLink | undefined> {
    return links.findSignInLink(this.#reader, digest);
  }

  async redeemSignInLink(digest: string, redemption: Redemption): Promise<boolean> {
    return this.#write(async () => links.redeemSignInLink(this.#writing, digest, redemption));
  }

  #identified<Credential extends { userId: string }>(
    credential: Credential | undefined,
    organizationId: string | undefined,
  ): Identified<Credential> | undefined {
    if (!credential) return undefined;
    return { credential, standings: members.standingsOf(this.#reader, credential.userId, organizationId) };
  }

  get #reader(): Connection {
    return this.#database.committed();
  }

  #listed<Row>(organizationId: string, list: (org: number) => Row[]): Row[] {
    const org = this.#organizations.keyOf(organizationId);
    return org === undefined ? [] : list(org);
  }

  #write<T>(work: () => Promise<T>): Promise<T> {
    return this.#writer.run(work, { kind: 'service', id: 'accounts' });
  }
}
