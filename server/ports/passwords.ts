/** Turns passwords into what can be stored of them. Slow on purpose. */
export interface Passwords {
  /** @throws {UnavailableError} when too many wait already */
  hash(password: string): Promise<string>;

  /**
   * Whether a password is the one that was hashed. Takes as long for a hash
   * that does not exist, and says no, so that the time does not tell who has
   * an account.
   *
   * @throws {UnavailableError} when too many wait already
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}
