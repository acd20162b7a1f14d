import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitClass, RateLimiter, RateLimitState } from '../../ports/rate-limiter.js';

const WINDOW_SECONDS = 60;

/** Counts in this process: right for a store that one process holds. */
export class MemoryRateLimiter implements RateLimiter {
  private readonly limiters: Record<RateLimitClass, RateLimiterMemory>;

  /** @param limits requests a minute */
  constructor(private readonly limits: Readonly<Record<RateLimitClass, number>>) {
    const limiter = (limitClass: RateLimitClass) =>
      new RateLimiterMemory({ keyPrefix: limitClass, points: limits[limitClass], duration: WINDOW_SECONDS });
    this.limiters = {
      ingest: limiter('ingest'),
      search: limiter('search'),
      admin: limiter('admin'),
      tools: limiter('tools'),
      signInAddress: limiter('signInAddress'),
      signInAccount: limiter('signInAccount'),
    };
  }

  async consume(limitClass: RateLimitClass, organizationId: string, credentialId: string): Promise<RateLimitState> {
    const limit = this.limits[limitClass];
    try {
      const state = await this.limiters[limitClass].consume(`${organizationId}:${credentialId}`);
      return { allowed: true, limit, remaining: state.remainingPoints, resetMs: state.msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return { allowed: false, limit, remaining: 0, resetMs: refusal.msBeforeNext };
    }
  }
}
