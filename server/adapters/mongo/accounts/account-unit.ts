import type { ClientSession } from 'mongodb';
import { foldEmail } from '../../../domain/account/email.js';
import type { Role } from '../../../domain/account/role.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { AccountUnit, ApiToken, Invitation, Member, User } from '../../../ports/account-store.js';
import type { Collections } from '../engine/collections.js';
import { compoundId, fromStored, toStored } from '../engine/documents.js';
import { PENDING, toInvitation, toInvitationDocument } from './invitation-documents.js';
import { findMember, toMembership } from './member-documents.js';
import { findUser, insertUser } from './user-documents.js';

/** The account writes of one unit of work, in its transaction. */
export class MongoAccountUnit implements AccountUnit {
  readonly #collections: Collections;
  readonly #org: string;
  #isDeleted = false;
  readonly #open: () => Promise<ClientSession>;

  /** @param open returns the session of a unit that holds its organization, or throws if the unit has ended */
  constructor(collections: Collections, org: string, open: () => Promise<ClientSession>) {
    this.#collections = collections;
    this.#org = org;
    this.#open = open;
  }

  /** True if the unit deletes its organization. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  async findUserByEmail(email: string): Promise<User | undefined> {
    return findUser(this.#collections, { foldedEmail: foldEmail(email) }, await this.#open());
  }

  async insertUser(user: User): Promise<void> {
    await insertUser(this.#collections, user, await this.#open());
  }

  async rename(name: string): Promise<void> {
    const session = await this.#open();
    await this.#collections.organizations.updateOne({ _id: this.#org }, { $set: { name } }, { session });
  }

  async deleteOrganization(deletedAt: Microseconds): Promise<void> {
    const { deletions, inboundWebhooks, invitations, memberships, organizations, tokens } = this.#collections;
    const session = await this.#open();
    await deletions.insertOne({ _id: this.#org, deletedAt }, { session });
    await organizations.deleteOne({ _id: this.#org }, { session });
    // These are found without the organization's document.
    const own = { org: this.#org };
    await memberships.deleteMany(own, { session });
    await tokens.deleteMany(own, { session });
    await invitations.deleteMany(own, { session });
    await inboundWebhooks.deleteMany(own, { session });
    this.#isDeleted = true;
  }

  async findMember(userId: string): Promise<Member | undefined> {
    return findMember(this.#collections, this.#org, userId, await this.#open());
  }

  async countOwners(): Promise<number> {
    const owners = { org: this.#org, role: 'owner' } as const;
    return this.#collections.memberships.countDocuments(owners, { session: await this.#open() });
  }

  async insertMember(member: Pick<Member, 'userId' | 'role' | 'joinedAt'>): Promise<void> {
    await this.#collections.memberships.insertOne(toMembership(this.#org, member), { session: await this.#open() });
  }

  async changeRole(userId: string, role: Role): Promise<void> {
    const _id = compoundId(this.#org, userId);
    await this.#collections.memberships.updateOne({ _id }, { $set: { role } }, { session: await this.#open() });
  }

  async removeMember(userId: string, at: Microseconds, by?: string): Promise<void> {
    const { memberships, tokens } = this.#collections;
    const session = await this.#open();
    await memberships.deleteOne({ _id: compoundId(this.#org, userId) }, { session });
    const valid = { org: this.#org, userId, revokedAt: null };
    await tokens.updateMany(valid as object, { $set: revocation(at, by) }, { session });
  }

  async findToken(tokenId: string): Promise<ApiToken | undefined> {
    const own = { _id: tokenId, org: this.#org };
    const found = await this.#collections.tokens.findOne(own, { session: await this.#open() });
    return found ? fromStored(found) : undefined;
  }

  async insertToken(token: ApiToken): Promise<void> {
    await this.#collections.tokens.insertOne(toStored(this.#org, token), { session: await this.#open() });
  }

  async countLiveTokens(userId: string, at: Microseconds): Promise<number> {
    const unexpired = { $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: at } }] };
    const live = { org: this.#org, userId, revokedAt: null, ...unexpired };
    return this.#collections.tokens.countDocuments(live as object, { session: await this.#open() });
  }

  async revokeToken(tokenId: string, at: Microseconds, by?: string): Promise<void> {
    const valid = { _id: tokenId, org: this.#org, revokedAt: null };
    await this.#collections.tokens.updateOne(
      valid as object,
      { $set: revocation(at, by) },
      { session: await this.#open() },
    );
  }

  async findInvitation(invitationId: string): Promise<Invitation | undefined> {
    const own = { _id: invitationId, org: this.#org };
    const found = await this.#collections.invitations.findOne(own, { session: await this.#open() });
    return found ? toInvitation(found) : undefined;
  }

  async insertInvitation(invitation: Invitation): Promise<void> {
    const document = toInvitationDocument(this.#org, invitation);
    await this.#collections.invitations.insertOne(document, { session: await this.#open() });
  }

  async revokeInvitationsTo(email: string, at: Microseconds): Promise<void> {
    await this.#settle({ foldedEmail: foldEmail(email) }, { revokedAt: at });
  }

  async revokeInvitation(invitationId: string, at: Microseconds): Promise<void> {
    await this.#settle({ _id: invitationId }, { revokedAt: at });
  }

  async acceptInvitation(invitationId: string, at: Microseconds): Promise<void> {
    await this.#settle({ _id: invitationId }, { acceptedAt: at });
  }

  async #settle(which: object, state: { revokedAt: Microseconds } | { acceptedAt: Microseconds }): Promise<void> {
    const pending = { org: this.#org, ...which, ...PENDING };
    await this.#collections.invitations.updateMany(pending as object, { $set: state }, { session: await this.#open() });
  }
}

function revocation(at: Microseconds, by: string | undefined): Pick<ApiToken, 'revokedAt' | 'revokedBy'> {
  return { revokedAt: at, ...(by !== undefined && { revokedBy: by }) };
}
