import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitClass, RateLimiter, RateLimitState } from '../../ports/rate-limiter.js';

const WINDOW_SECONDS = 60;

interface Limiters {
  byClass: Readonly<Record<RateLimitClass, RateLimiterMemory>>;
  /** What a limiter throws at a request too many. */
  Refusal: typeof RateLimiterRes;
}

/** Counts in this process: right for a store that one process holds. The library is loaded by the first request. */
export class MemoryRateLimiter implements RateLimiter {
  private limiters: Promise<Limiters> | undefined;

  /** @param limits requests a minute */
  constructor(private readonly limits: Readonly<Record<RateLimitClass, number>>) {}

  async consume(limitClass: RateLimitClass, organizationId: string, credentialId: string): Promise<RateLimitState> {
    const limit = this.limits[limitClass];
    this.limiters ??= loadLimiters(this.limits);
    const { byClass, Refusal } = await this.limiters;
    try {
      const state = await byClass[limitClass].consume(`${organizationId}:${credentialId}`);
      return { allowed: true, limit, remaining: state.remainingPoints, resetMs: state.msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      return { allowed: false, limit, remaining: 0, resetMs: refusal.msBeforeNext };
    }
  }
}

async function loadLimiters(limits: Readonly<Record<RateLimitClass, number>>): Promise<Limiters> {
  const { RateLimiterMemory, RateLimiterRes } = await import('rate-limiter-flexible');
  const limiter = (limitClass: RateLimitClass) =>
    new RateLimiterMemory({ keyPrefix: limitClass, points: limits[limitClass], duration: WINDOW_SECONDS });
  const byClass = {
    ingest: limiter('ingest'),
    search: limiter('search'),
    admin: limiter('admin'),
    tools: limiter('tools'),
    signInAddress: limiter('signInAddress'),
    signInAccount: limiter('signInAccount'),
  };
  return { byClass, Refusal: RateLimiterRes };
}
