import type { RateLimitClass, RateLimiter, RateLimitState } from '../ports/rate-limiter.js';

/** Lets everything pass until a test says otherwise, and remembers what it was asked. */
export class ControlledRateLimiter implements RateLimiter {
  state: RateLimitState = { allowed: true, limit: 60, remaining: 59, resetMs: 60_000 };
  readonly consumed: { limitClass: RateLimitClass; organizationId: string; credentialId: string }[] = [];

  async consume(limitClass: RateLimitClass, organizationId: string, credentialId: string): Promise<RateLimitState> {
    this.consumed.push({ limitClass, organizationId, credentialId });
    return this.state;
  }
}
