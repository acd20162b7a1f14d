/**
 * Kinds of operations that share a per-minute limit (part 8), messages to the
 * tool interface, which tools count beside what they ask for, and attempts to
 * sign in: to an account from an address block, from an address block to any
 * account, and to an account from all blocks that it does not know.
 */
export type RateLimitClass = 'ingest' | 'search' | 'admin' | 'tools' | 'signIn' | 'signInAddress' | 'signInAccount';

/** Counts requests per minute, from the first request of a window. */
export interface RateLimiter {
  /**
   * Counts one request of a credential in an organization. All credentials of
   * a person there share a window, and have PERSON_FACTOR times the limit of
   * one together.
   *
   * @param userId the person; undefined for a credential of no person
   */
  consume(
    limitClass: RateLimitClass,
    organizationId: string,
    credentialId: string,
    userId?: string,
  ): Promise<RateLimitState>;
}

export interface RateLimitState {
  allowed: boolean;
  /** Requests a window, by the limit that is closer to its end. */
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
  /** Whether `limit` is what all credentials of the person share. */
  isOfPerson?: boolean;
}
