import { foldEmail } from '../../../domain/account/email.js';
import { FIRST_SETTINGS, type OrganizationSettings } from '../../../domain/account/organization.js';
import type { Role } from '../../../domain/account/role.js';
import { TokenUses } from '../../../domain/account/token-uses.js';
import type { PageQuery } from '../../../domain/page.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type {
  AccountStore,
  ApiToken,
  Founding,
  Identified,
  Invitation,
  Member,
  Membership,
  Organization,
  Standing,
  TokenQuery,
  User,
} from '../../../ports/account-store.js';
import type { Collections } from '../engine/collections.js';
import { compoundId, fromStored, toStored } from '../engine/documents.js';
import { guarded } from '../engine/errors.js';
import { ALL_FACETS } from '../engine/organization-state.js';
import { page } from '../engine/paging.js';
import type { Transactions } from '../engine/transactions.js';
import { PENDING, toInvitation } from './invitation-documents.js';
import { assertMayOwn, findMembers, listMembers, membershipsOf, toMembership } from './member-documents.js';
import { MongoSessionStore } from './session-store.js';
import type { Standings } from './standings.js';
import { findUser, insertUser } from './user-documents.js';

export class MongoAccountStore extends MongoSessionStore implements AccountStore {
  readonly #collections: Collections;
  readonly #transactions: Transactions;
  readonly #standings: Standings;
  readonly #tokenUses: TokenUses;

  constructor(collections: Collections, transactions: Transactions, standings: Standings) {
    super(collections, transactions, standings);
    this.#standings = standings;
    this.#collections = collections;
    this.#transactions = transactions;
    this.#tokenUses = new TokenUses((tokenId, at) =>
      collections.tokens.updateOne({ _id: tokenId }, { $max: { lastUsedAt: at } }),
    );
  }

  async createOrganization({ organization, owner, token, audit, maxOwned }: Founding): Promise<void> {
    const { organizations, deletions, memberships, tokens, auditEvents } = this.#collections;
    const { id, name, createdAt } = organization;
    const nothing = { clock: 0, newest: 0, active: 0, deleted: 0, words: 0, bytes: 0 };
    const counted = { revision: 0, facetRevision: 0, facetsTo: ALL_FACETS };
    const first = { ...nothing, ...counted, settings: FIRST_SETTINGS };
    await this.#transactions.write(async (session) => {
      if (await deletions.findOne({ _id: id }, { session })) throw new Error(`Organization ${id} is being deleted`);
      if (maxOwned !== undefined) await assertMayOwn(this.#collections, owner.id, maxOwned, session);
      await organizations.insertOne({ _id: id, name, createdAt, ...first }, { session });
      const known = await findUser(this.#collections, { _id: owner.id }, session);
      if (!known) await insertUser(this.#collections, owner, session);
      const membership = toMembership(id, { userId: owner.id, role: 'owner', joinedAt: createdAt });
      await memberships.insertOne(membership, { session });
      if (token) await tokens.insertOne(toStored(id, token), { session });
      if (audit) await auditEvents.insertOne(toStored(id, audit), { session });
    });
  }

  async findOrganization(organizationId: string): Promise<Organization | undefined> {
    const options = { projection: { name: 1, createdAt: 1 } };
    const found = await guarded(() => this.#collections.organizations.findOne({ _id: organizationId }, options));
    return found ? { id: found._id, name: found.name, createdAt: found.createdAt } : undefined;
  }

  async organizationIds(): Promise<string[]> {
    const options = { sort: { createdAt: 1, _id: 1 }, projection: { _id: 1 } } as const;
    const found = await guarded(() => this.#collections.organizations.find({}, options).toArray());
    return found.map(({ _id }) => _id);
  }

  async embeddedOtherwise(fingerprint: string): Promise<{ organizationId: string; settings: OrganizationSettings }[]> {
    const filter = { 'settings.embeddingFingerprint': { $exists: true, $ne: fingerprint } };
    const options = { sort: { createdAt: 1, _id: 1 }, projection: { settings: 1 } } as const;
    const found = await guarded(() => this.#collections.organizations.find(filter, options).toArray());
    return found.map(({ _id, settings }) => ({ organizationId: _id, settings }));
  }

  async organizationsToTend(now: Microseconds): Promise<string[]> {
    const filter = {
      $or: [{ 'settings.deletedRetentionDays': { $gt: 0 } }, { 'settings.nextExpiry': { $lte: now } }],
    };
    const found = await guarded(() =>
      this.#collections.organizations.find(filter, { projection: { _id: 1 } }).toArray(),
    );
    return found.map(({ _id }) => _id);
  }

  async settings(organizationId: string): Promise<OrganizationSettings | undefined> {
    const options = { projection: { settings: 1 } };
    const found = await guarded(() => this.#collections.organizations.findOne({ _id: organizationId }, options));
    return found?.settings;
  }

  async findUser(userId: string): Promise<User | undefined> {
    return guarded(() => findUser(this.#collections, { _id: userId }));
  }

  async findUserByEmail(email: string): Promise<User | undefined> {
    return guarded(() => findUser(this.#collections, { foldedEmail: foldEmail(email) }));
  }

  async findRole(organizationId: string, userId: string): Promise<Role | undefined> {
    const _id = compoundId(organizationId, userId);
    return (await guarded(() => this.#collections.memberships.findOne({ _id })))?.role;
  }

  async membershipsOf(userId: string): Promise<Membership[]> {
    return guarded(() => membershipsOf(this.#collections, userId));
  }

  async listMembers(organizationId: string, query: PageQuery): Promise<Member[]> {
    return guarded(() => listMembers(this.#collections, organizationId, query));
  }

  async findMembers(organizationId: string, userIds: readonly string[]): Promise<Member[]> {
    return guarded(() => findMembers(this.#collections, organizationId, userIds));
  }

  async findTokenByDigest(digest: string, organizationId?: string): Promise<Identified<ApiToken> | undefined> {
    const { tokens } = this.#collections;
    const found = await guarded(() => this.#standings.ofCredential(tokens, { digest }, organizationId));
    return found && { ...found, credential: fromStored<ApiToken>(found.credential) };
  }

  async standingsOf(userId: string, organizationId?: string): Promise<Standing[]> {
    return guarded(() => this.#standings.of(userId, organizationId));
  }

  async listTokens(organizationId: string, query: TokenQuery): Promise<ApiToken[]> {
    const { userId, includeRevoked, after, limit } = query;
    const scope = {
      org: organizationId,
      ...(userId !== undefined && { userId }),
      ...(!includeRevoked && { revokedAt: null }),
    };
    const { filter, options } = page(scope, { time: 'createdAt', direction: 1, after, limit });
    const found = await guarded(() => this.#collections.tokens.find(filter, options).toArray());
    return found.map((document) => fromStored(document));
  }

  async findTokens(organizationId: string, tokenIds: readonly string[]): Promise<ApiToken[]> {
    const own = { _id: { $in: [...tokenIds] }, org: organizationId };
    const found = await guarded(() => this.#collections.tokens.find(own).toArray());
    return found.map((document) => fromStored(document));
  }

  noteTokenUse(tokenId: string, at: Microseconds): void {
    this.#tokenUses.note(tokenId, at);
  }

  async findInvitationByDigest(digest: string): Promise<Invitation | undefined> {
    const found = await guarded(() => this.#collections.invitations.findOne({ digest }));
    return found ? toInvitation(found) : undefined;
  }

  async listInvitations(organizationId: string, { after, limit }: PageQuery): Promise<Invitation[]> {
    const scope = { org: organizationId, ...PENDING };
    const { filter, options } = page(scope, { time: 'createdAt', direction: 1, after, limit });
    const found = await guarded(() => this.#collections.invitations.find(filter, options).toArray());
    return found.map(toInvitation);
  }
}
