import type { Filter } from 'mongodb';
import type { SignInPlace } from '../../../domain/account/sign-in-places.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { Identified, PasswordExchange, Session, SessionStore } from '../../../ports/account-store.js';
import type { Collections, UserDocument } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import type { Transactions } from '../engine/transactions.js';
import type { Standings } from './standings.js';

export class MongoSessionStore implements SessionStore {
  readonly #collections: Collections;
  readonly #transactions: Transactions;
  readonly #standings: Standings;

  constructor(collections: Collections, transactions: Transactions, standings: Standings) {
    this.#standings = standings;
    this.#collections = collections;
    this.#transactions = transactions;
  }

  async createSession(
    { digest, ...own }: Session,
    passwordHash?: string,
    signInPlaces?: readonly SignInPlace[],
  ): Promise<boolean> {
    const { users, sessions } = this.#collections;
    const { userId, createdAt } = own;
    return this.#transactions.write(async (session) => {
      // A write, so that a concurrent change of the password conflicts.
      const counted = { $inc: { signIns: 1 }, ...(signInPlaces && { $set: { signInPlaces } }) };
      const { matchedCount } = await users.updateOne(havingPassword(userId, passwordHash), counted, { session });
      if (matchedCount === 0) return false;
      await sessions.deleteMany({ userId, expiresAt: { $lte: createdAt } }, { session });
      await sessions.insertOne({ _id: digest, ...own }, { session });
      return true;
    });
  }

  async findSession(digest: string, organizationId?: string): Promise<Identified<Session> | undefined> {
    const { sessions } = this.#collections;
    const found = await guarded(() => this.#standings.ofCredential(sessions, { _id: digest }, organizationId));
    if (!found) return undefined;
    const { _id, ...session } = found.credential;
    return { ...found, credential: { digest: _id, ...session } };
  }

  async touchSession(digest: string, at: Microseconds): Promise<void> {
    await guarded(() => this.#collections.sessions.updateOne({ _id: digest }, { $set: { lastUsedAt: at } }));
  }

  async deleteSession(digest: string): Promise<void> {
    await guarded(() => this.#collections.sessions.deleteOne({ _id: digest }));
  }

  async exchangePassword(userId: string, { from, to }: PasswordExchange, keptSessionDigest = ''): Promise<boolean> {
    const { users, sessions } = this.#collections;
    return this.#transactions.write(async (session) => {
      const exchanged = { $set: { passwordHash: to } };
      const { matchedCount } = await users.updateOne(havingPassword(userId, from), exchanged, { session });
      if (matchedCount === 0) return false;
      await sessions.deleteMany({ userId, _id: { $ne: keptSessionDigest } }, { session });
      return true;
    });
  }
}

/** @param passwordHash undefined if the user has no password */
function havingPassword(userId: string, passwordHash: string | undefined): Filter<UserDocument> {
  return { _id: userId, passwordHash: passwordHash ?? { $exists: false } };
}
