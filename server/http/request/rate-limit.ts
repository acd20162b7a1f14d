import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { RateLimitedError } from '../../errors.js';
import type { RateLimitClass, RateLimitState } from '../../ports/rate-limiter.js';
import type { Operation } from '../contract/contract.js';
import type { Context } from './context.js';

const WINDOW_SECONDS = 60;

/**
 * Counts a request against the class of its operation. Whatever the answer
 * will be, it tells what is left.
 *
 * @throws {RateLimitedError}
 */
export async function limitRate(
  { rateLimiter }: Pick<Deps, 'rateLimiter'>,
  ctx: Context,
  { rateLimitClass }: Pick<Operation, 'rateLimitClass'>,
  caller: Pick<Caller, 'organizationId' | 'credentialId'> | undefined,
): Promise<void> {
  if (!rateLimitClass || !caller) return;
  const state = await rateLimiter.consume(rateLimitClass, caller.organizationId, caller.credentialId);
  const resetSeconds = Math.max(1, Math.ceil(state.resetMs / 1_000));
  ctx.set(toHeaders(rateLimitClass, state, resetSeconds));
  if (!state.allowed) throw new RateLimitedError(resetSeconds);
}

function toHeaders(
  limitClass: RateLimitClass,
  { limit, remaining }: RateLimitState,
  resetSeconds: number,
): Record<string, string> {
  return {
    'RateLimit-Policy': `"${limitClass}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${limitClass}";r=${remaining};t=${resetSeconds}`,
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
  };
}
