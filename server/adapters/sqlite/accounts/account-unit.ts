import type { Role } from '../../../domain/account/role.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { AccountUnit, ApiToken, Invitation, Member, User } from '../../../ports/account-store.js';
import type { Connection } from '../engine/connection.js';
import * as invitations from './invitation-rows.js';
import * as members from './member-rows.js';
import * as tokens from './token-rows.js';

/** Reads and writes accounts in the transaction of one unit. */
export class SqliteAccountUnit implements AccountUnit {
  readonly #open: () => Connection;
  readonly #org: number;
  #isDeleted = false;

  /** @param open returns the connection, or throws if the unit has ended */
  constructor(open: () => Connection, org: number) {
    this.#open = open;
    this.#org = org;
  }

  /** True if the unit deletes its organization. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  async findUserByEmail(email: string): Promise<User | undefined> {
    return members.findUserByEmail(this.#open(), email);
  }

  async insertUser(user: User): Promise<void> {
    members.insertUser(this.#open(), user);
  }

  async rename(name: string): Promise<void> {
    this.#open().run('UPDATE organizations SET name = ? WHERE key = ?', name, this.#org);
  }

  async deleteOrganization(at: Microseconds): Promise<void> {
    this.#open().run('INSERT INTO deleted_organizations (org, deleted_at) VALUES (?, ?)', this.#org, at);
    this.#isDeleted = true;
  }

  async findMember(userId: string): Promise<Member | undefined> {
    return members.findMember(this.#open(), this.#org, userId);
  }

  async countOwners(): Promise<number> {
    return members.countOwners(this.#open(), this.#org);
  }

  async insertMember(member: Pick<Member, 'userId' | 'role' | 'joinedAt'>): Promise<void> {
    members.insertMember(this.#open(), this.#org, member);
  }

  async changeRole(userId: string, role: Role): Promise<void> {
    members.changeRole(this.#open(), this.#org, userId, role);
  }

  async removeMember(userId: string, at: Microseconds, by?: string): Promise<void> {
    members.deleteMember(this.#open(), this.#org, userId);
    tokens.revokeTokensOf(this.#open(), this.#org, userId, { at, by });
  }

  async findToken(tokenId: string): Promise<ApiToken | undefined> {
    return tokens.findToken(this.#open(), this.#org, tokenId);
  }

  async insertToken(token: ApiToken): Promise<void> {
    tokens.insertToken(this.#open(), this.#org, token);
  }

  async countLiveTokens(userId: string, at: Microseconds): Promise<number> {
    return tokens.countLiveTokens(this.#open(), this.#org, userId, at);
  }

  async revokeToken(tokenId: string, at: Microseconds, by?: string): Promise<void> {
    tokens.revokeToken(this.#open(), this.#org, tokenId, { at, by });
  }

  async findInvitation(invitationId: string): Promise<Invitation | undefined> {
    return invitations.findInvitation(this.#open(), this.#org, invitationId);
  }

  async insertInvitation(invitation: Invitation): Promise<void> {
    invitations.insertInvitation(this.#open(), this.#org, invitation);
  }

  async revokeInvitationsTo(email: string, at: Microseconds): Promise<void> {
    invitations.revokeInvitationsTo(this.#open(), this.#org, email, at);
  }

  async revokeInvitation(invitationId: string, at: Microseconds): Promise<void> {
    invitations.revokeInvitation(this.#open(), this.#org, invitationId, at);
  }

  async acceptInvitation(invitationId: string, at: Microseconds): Promise<void> {
    invitations.acceptInvitation(this.#open(), this.#org, invitationId, at);
  }
}
