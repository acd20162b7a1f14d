import type { Microseconds } from '../../domain/memory.js';
import type { Identified, Session, SessionStore } from '../../ports/account-store.js';
import type { Collections } from './collections.js';
import { guarded } from './errors.js';
import type { Standings } from './standings.js';
import type { Transactions } from './transactions.js';

export class MongoSessionStore implements SessionStore {
  readonly #collections: Collections;
  readonly #transactions: Transactions;
  readonly #standings: Standings;

  constructor(collections: Collections, transactions: Transactions, standings: Standings) {
    this.#standings = standings;
    this.#collections = collections;
    this.#transactions = transactions;
  }

  async createSession({ digest, ...session }: Session): Promise<void> {
    const { sessions } = this.#collections;
    const expired = { userId: session.userId, expiresAt: { $lte: session.createdAt } };
    await guarded(async () => {
      await sessions.deleteMany(expired);
      await sessions.insertOne({ _id: digest, ...session });
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

  async setPassword(userId: string, passwordHash: string, keptSessionDigest = ''): Promise<void> {
    const { users, sessions } = this.#collections;
    await this.#transactions.write(async (session) => {
      await users.updateOne({ _id: userId }, { $set: { passwordHash } }, { session });
      await sessions.deleteMany({ userId, _id: { $ne: keptSessionDigest } }, { session });
    });
  }
}
