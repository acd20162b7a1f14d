import type { ClientSession, Filter } from 'mongodb';
import type { SignInPlace } from '../../../domain/account/sign-in-places.js';
import type { PageQuery } from '../../../domain/page.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type {
  Identified,
  PasswordExchange,
  Session,
  SessionStore,
  SessionsInUse,
} from '../../../ports/account-store.js';
import type { Redemption, SignInLink, SignInLinkStore } from '../../../ports/sign-in-link-store.js';
import type { Collections, SessionDocument, UserDocument } from '../engine/collections.js';
import { deleteSome } from '../engine/delete-some.js';
import { guarded } from '../engine/errors.js';
import { limitedTo } from '../engine/paging.js';
import type { Transactions } from '../engine/transactions.js';
import type { Standings } from './standings.js';

/** Every write that depends on a user's password or links writes to the user, so that two at once conflict. */
const COUNTED = { $inc: { signIns: 1 } };

export class MongoSessionStore implements SessionStore, SignInLinkStore {
  readonly #collections: Collections;
  readonly #transactions: Transactions;
  readonly #standings: Standings;

  constructor(collections: Collections, transactions: Transactions, standings: Standings) {
    this.#standings = standings;
    this.#collections = collections;
    this.#transactions = transactions;
  }

  async createSession(made: Session, passwordHash?: string, signInPlaces?: readonly SignInPlace[]): Promise<boolean> {
    return this.#transactions.write(async (session) => {
      const counted = { ...COUNTED, ...(signInPlaces && { $set: { signInPlaces } }) };
      const filter = havingPassword(made.userId, passwordHash);
      const { matchedCount } = await this.#collections.users.updateOne(filter, counted, { session });
      if (matchedCount === 0) return false;
      await this.#storeSession(made, session);
      return true;
    });
  }

  async findSession(digest: string, organizationId?: string): Promise<Identified<Session> | undefined> {
    const { sessions } = this.#collections;
    const found = await guarded(() => this.#standings.ofCredential(sessions, { _id: digest }, organizationId));
    if (!found) return undefined;
    return { ...found, credential: toSession(found.credential) };
  }

  async touchSession(digest: string, at: Microseconds): Promise<void> {
    await guarded(() => this.#collections.sessions.updateOne({ _id: digest }, { $set: { lastUsedAt: at } }));
  }

  async deleteSession(digest: string): Promise<void> {
    await guarded(() => this.#collections.sessions.deleteOne({ _id: digest }));
  }

  async listSessions(userId: string, { now, usedAfter, after, limit }: PageQuery & SessionsInUse): Promise<Session[]> {
    const inUse = { userId, expiresAt: { $gt: now }, lastUsedAt: { $gt: usedAfter } };
    const later = after && [{ createdAt: { $gt: after.at } }, { createdAt: after.at, id: { $gt: after.id } }];
    const filter = { ...inUse, ...(later && { $or: later }) };
    const options = { sort: { createdAt: 1, id: 1 }, ...limitedTo(limit) } as const;
    const found = await guarded(() => this.#collections.sessions.find(filter, options).toArray());
    return found.map(toSession);
  }

  async deleteSessionOf(userId: string, sessionId: string): Promise<boolean> {
    const filter = { userId, id: sessionId };
    const { deletedCount } = await guarded(() => this.#collections.sessions.deleteOne(filter));
    return deletedCount > 0;
  }

  async exchangePassword(userId: string, { from, to }: PasswordExchange, keptSessionDigest = ''): Promise<boolean> {
    const { users } = this.#collections;
    return this.#transactions.write(async (session) => {
      const exchanged = { $set: { passwordHash: to } };
      const { matchedCount } = await users.updateOne(havingPassword(userId, from), exchanged, { session });
      if (matchedCount === 0) return false;
      await this.#endSessions(userId, keptSessionDigest, session);
      return true;
    });
  }

  async deleteEndedSignIns(before: Microseconds, limit: number): Promise<boolean> {
    const { sessions, signInLinks } = this.#collections;
    const ended = { expiresAt: { $lt: before } };
    const options = { sort: { expiresAt: 1 }, limit } as const;
    return guarded(async () => {
      const foundSessions = await deleteSome(sessions, ended, options);
      const foundLinks = await deleteSome(signInLinks, ended, options);
      return foundSessions === limit || foundLinks === limit;
    });
  }

  async deleteSettledInvitations(before: Microseconds, limit: number): Promise<boolean> {
    const { invitations } = this.#collections;
    const earlier = { $exists: true, $lt: before };
    return guarded(async () => {
      const accepted = await deleteSome(invitations, { acceptedAt: earlier }, { sort: { acceptedAt: 1 }, limit });
      const revoked = await deleteSome(invitations, { revokedAt: earlier }, { sort: { revokedAt: 1 }, limit });
      return accepted === limit || revoked === limit;
    });
  }

  async insertSignInLink({ digest, ...link }: SignInLink, mostOfPassword = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    const { users, signInLinks } = this.#collections;
    const { userId, createdAt } = link;
    return this.#transactions.write(async (session) => {
      await users.updateOne({ _id: userId }, COUNTED, { session });
      await signInLinks.deleteMany({ userId, expiresAt: { $lte: createdAt } }, { session });
      const others = await signInLinks.countDocuments({ userId, setsPassword: true }, { session });
      if (others >= mostOfPassword) return false;
      await signInLinks.insertOne({ _id: digest, ...link }, { session });
      return true;
    });
  }

  async findSignInLink(digest: string): Promise<SignInLink | undefined> {
    const found = await guarded(() => this.#collections.signInLinks.findOne({ _id: digest }));
    if (!found) return undefined;
    const { _id, ...link } = found;
    return { digest: _id, ...link };
  }

  async redeemSignInLink(digest: string, { session: made, signInPlaces, passwordHash }: Redemption): Promise<boolean> {
    const { users, signInLinks } = this.#collections;
    const { userId, createdAt } = made;
    const setsPassword = passwordHash !== undefined;
    const filter = { _id: digest, userId, expiresAt: { $gt: createdAt }, ...(setsPassword && { setsPassword }) };
    return this.#transactions.write(async (session) => {
      // Before the link, as in every other write of a user's links: the other order could deadlock.
      await users.updateOne({ _id: userId }, COUNTED, { session });
      const { deletedCount } = await signInLinks.deleteOne(filter, { session });
      if (deletedCount === 0) return false;
      const changed = { $set: { signInPlaces, ...(setsPassword && { passwordHash }) } };
      await users.updateOne({ _id: userId }, changed, { session });
      if (setsPassword) await this.#endSessions(userId, '', session);
      await this.#storeSession(made, session);
      return true;
    });
  }

  /** Stores a session, and deletes the user's expired sessions. */
  async #storeSession({ digest, ...own }: Session, session: ClientSession): Promise<void> {
    const { sessions } = this.#collections;
    const { userId, createdAt } = own;
    await sessions.deleteMany({ userId, expiresAt: { $lte: createdAt } }, { session });
    await sessions.insertOne({ _id: digest, ...own }, { session });
  }

  /** Ends all sessions of a user but one, and voids their sign-in links. */
  async #endSessions(userId: string, keptDigest: string, session: ClientSession): Promise<void> {
    const { sessions, signInLinks } = this.#collections;
    await sessions.deleteMany({ userId, _id: { $ne: keptDigest } }, { session });
    await signInLinks.deleteMany({ userId }, { session });
  }
}

function toSession({ _id, ...session }: SessionDocument): Session {
  return { digest: _id, ...session };
}

/** @param passwordHash undefined if the user has no password */
function havingPassword(userId: string, passwordHash: string | undefined): Filter<UserDocument> {
  return { _id: userId, passwordHash: passwordHash ?? { $exists: false } };
}
