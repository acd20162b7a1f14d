import { Long } from 'mongodb';
import { FIRST_SETTINGS, type OrganizationSettings, type Role } from '../../domain/organization.js';
import type { AccountStore, ApiToken, Founding } from '../../ports/account-store.js';
import type { Collections, TokenDocument } from './collections.js';
import { guarded } from './errors.js';
import type { Transactions } from './transactions.js';

export class MongoAccountStore implements AccountStore {
  readonly #collections: Collections;
  readonly #transactions: Transactions;

  constructor(collections: Collections, transactions: Transactions) {
    this.#collections = collections;
    this.#transactions = transactions;
  }

  async createOrganization({ organization, owner, token }: Founding): Promise<void> {
    const { organizations, users, memberships, tokens } = this.#collections;
    await this.#transactions.write(async (session) => {
      await organizations.insertOne(
        {
          _id: organization.id,
          name: organization.name,
          createdAt: Long.fromNumber(organization.createdAt),
          settings: FIRST_SETTINGS,
          clock: 0,
          newest: 0,
          revision: 0,
          active: 0,
          deleted: 0,
          words: 0,
        },
        { session },
      );
      const { email } = owner;
      await users.updateOne({ _id: owner.id }, { $setOnInsert: { email } }, { session, upsert: true });
      const _id = membershipId(organization.id, owner.id);
      await memberships.insertOne({ _id, org: organization.id, userId: owner.id, role: 'owner' }, { session });
      await tokens.insertOne(toTokenDocument(token), { session });
    });
  }

  async organizationIds(): Promise<string[]> {
    const options = { sort: { createdAt: 1, _id: 1 }, projection: { _id: 1 } } as const;
    const found = await guarded(() => this.#collections.organizations.find({}, options).toArray());
    return found.map(({ _id }) => _id);
  }

  async settings(organizationId: string): Promise<OrganizationSettings | undefined> {
    const options = { projection: { settings: 1 } };
    const found = await guarded(() => this.#collections.organizations.findOne({ _id: organizationId }, options));
    return found?.settings;
  }

  async findTokenByDigest(digest: string): Promise<ApiToken | undefined> {
    const found = await guarded(() => this.#collections.tokens.findOne({ digest }));
    return found ? toToken(found) : undefined;
  }

  async findRole(organizationId: string, userId: string): Promise<Role | undefined> {
    const _id = membershipId(organizationId, userId);
    return (await guarded(() => this.#collections.memberships.findOne({ _id })))?.role;
  }

  async organizationIdsOf(userId: string): Promise<string[]> {
    const options = { sort: { org: 1 } } as const;
    const found = await guarded(() => this.#collections.memberships.find({ userId }, options).toArray());
    return found.map(({ org }) => org);
  }
}

function membershipId(organizationId: string, userId: string): string {
  return `${organizationId} ${userId}`;
}

function toTokenDocument({ id, createdAt, expiresAt, revokedAt, ...token }: ApiToken): TokenDocument {
  return {
    _id: id,
    ...token,
    createdAt: Long.fromNumber(createdAt),
    ...(expiresAt !== undefined && { expiresAt: Long.fromNumber(expiresAt) }),
    ...(revokedAt !== undefined && { revokedAt: Long.fromNumber(revokedAt) }),
  };
}

function toToken({ _id, createdAt, expiresAt, revokedAt, ...token }: TokenDocument): ApiToken {
  return {
    id: _id,
    ...token,
    createdAt: Number(createdAt),
    ...(expiresAt !== undefined && { expiresAt: Number(expiresAt) }),
    ...(revokedAt !== undefined && { revokedAt: Number(revokedAt) }),
  };
}
