import type { Microseconds } from '../../domain/memory.js';
import type { Session, SessionStore } from '../../ports/account-store.js';
import type { Collections } from './collections.js';
import { guarded } from './errors.js';
import type { Transactions } from './transactions.js';

export class MongoSessionStore implements SessionStore {
  readonly #sessions: Collections['sessions'];
  readonly #users: Collections['users'];
  readonly #transactions: Transactions;

  constructor({ sessions, users }: Collections, transactions: Transactions) {
    this.#sessions = sessions;
    this.#users = users;
    this.#transactions = transactions;
  }

  async createSession({ digest, ...session }: Session): Promise<void> {
    const expired = { userId: session.userId, expiresAt: { $lte: session.createdAt } };
    await guarded(async () => {
      await this.#sessions.deleteMany(expired);
      await this.#sessions.insertOne({ _id: digest, ...session });
    });
  }

  async findSession(digest: string): Promise<Session | undefined> {
    const found = await guarded(() => this.#sessions.findOne({ _id: digest }));
    if (!found) return undefined;
    const { _id, ...session } = found;
    return { digest: _id, ...session };
  }

  async touchSession(digest: string, at: Microseconds): Promise<void> {
    await guarded(() => this.#sessions.updateOne({ _id: digest }, { $set: { lastUsedAt: at } }));
  }

  async deleteSession(digest: string): Promise<void> {
    await guarded(() => this.#sessions.deleteOne({ _id: digest }));
  }

  async setPassword(userId: string, passwordHash: string, keptSessionDigest = ''): Promise<void> {
    await this.#transactions.write(async (session) => {
      await this.#users.updateOne({ _id: userId }, { $set: { passwordHash } }, { session });
      await this.#sessions.deleteMany({ userId, _id: { $ne: keptSessionDigest } }, { session });
    });
  }
}
