import type { Owner } from '../domain/fairness/owner.js';

/** Turns passwords into what can be stored of them. Slow on purpose, so that callers take turns. */
export interface Passwords {
  /**
   * @param asker whom it counts for
   * @throws {ShareExceededError} when too many wait already, or no turn comes in time
   */
  hash(password: string, asker: Owner): Promise<string>;

  /**
   * Whether a password is the one that was hashed. Takes as long for a hash
   * that does not exist, and says no, so that the time does not tell who has
   * an account.
   *
   * @param asker whom it counts for
   * @throws {ShareExceededError} when too many wait already, or no turn comes in time
   */
  verify(password: string, hash: string | undefined, asker: Owner): Promise<boolean>;
}
