import type { Owner } from '../domain/fairness/owner.js';

/** Hashes passwords. Hashing is slow on purpose, so callers wait for their turn. */
export interface Passwords {
  /**
   * @param asker owner whose share is used
   * @throws {ShareExceededError} if too many callers wait, or the wait takes too long
   * @throws {LostWorkError}
   */
  hash(password: string, asker: Owner): Promise<string>;

  /**
   * Reports if a password matches a hash. For an undefined hash it takes the same time and returns false, so that the
   * time does not reveal who has an account.
   *
   * @param asker owner whose share is used
   * @throws {ShareExceededError} if too many callers wait, or the wait takes too long
   * @throws {LostWorkError}
   */
  verify(password: string, hash: string | undefined, asker: Owner): Promise<boolean>;
}
