/**
 * Class of requests that share one limit per minute (section 8). `tools` counts messages to the tool interface, in
 * addition to the operations that the tools call. Sign-in attempts have three classes: `signIn` from one address block
 * to one account, `signInAddress` from one block to all accounts, `signInAccount` from unknown blocks to one account.
 */
export type RateLimitClass = 'ingest' | 'search' | 'admin' | 'tools' | 'signIn' | 'signInAddress' | 'signInAccount';

/** Limits requests per window of one minute, which begins with its first request. */
export interface RateLimiter {
  /**
   * Counts one request of a credential in an organization. All credentials of a person there share a second window,
   * whose limit is PERSON_FACTOR times that of one credential.
   *
   * @param userId the person; undefined for a credential without a person
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
  /** Requests per window, of the limit with fewer requests left. */
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
  /** True if `limit` is the one that all credentials of the person share. */
  isOfPerson?: boolean;
}
