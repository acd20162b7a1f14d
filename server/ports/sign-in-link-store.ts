import type { SignInPlace } from '../domain/account/sign-in-places.js';
import type { Microseconds } from '../domain/timestamp.js';
import type { Session } from './account-store.js';

/** Stores links that sign a person in without a password. They belong to a user, not to an organization. */
export interface SignInLinkStore {
  /**
   * Stores a link, and deletes the user's expired links.
   *
   * @param mostOfPassword if given, stores nothing if the user has this many valid links that set a password
   * @returns true if the link was stored
   */
  insertSignInLink(link: SignInLink, mostOfPassword?: number): Promise<boolean>;
  /** Returns expired links too, until they are deleted. */
  findSignInLink(digest: string): Promise<SignInLink | undefined>;
  /**
   * Deletes a link, stores the session that it starts, and deletes the user's expired sessions, all or none. Of several
   * calls with one link, only one succeeds.
   *
   * @returns false, with nothing changed, if there is no such link of the user at `session.createdAt`
   */
  redeemSignInLink(digest: string, redemption: Redemption): Promise<boolean>;
}

export interface SignInLink {
  /** SHA-256 of the code in the link, hex. The code itself is not stored. */
  digest: string;
  userId: string;
  createdAt: Microseconds;
  expiresAt: Microseconds;
  /** True if the link also replaces the password without the current one. */
  setsPassword: boolean;
}

export interface Redemption {
  session: Session;
  /** Replaces the user's places. */
  signInPlaces: readonly SignInPlace[];
  /**
   * Replaces the user's password, ends their other sessions and voids their other links. The link must have
   * `setsPassword` then.
   */
  passwordHash?: string;
}
