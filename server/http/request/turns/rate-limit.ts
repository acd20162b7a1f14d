import type { Deps } from '../../../deps.js';
import type { Caller } from '../../../domain/account/caller.js';
import { RateLimitedError } from '../../../errors.js';
import type { RateLimitClass, RateLimitState } from '../../../ports/rate-limiter.js';
import type { Principal } from '../../../services/access/principal.js';
import type { Operation } from '../../contract/contract.js';
import type { Context } from '../context.js';

const WINDOW_SECONDS = 60;

/** The caller that a request is counted for. */
interface RateLimited extends Pick<Caller, 'organizationId' | 'credentialId'> {
  /** Undefined for a credential without a user. */
  userId: string | undefined;
}

/**
 * Returns who a request is counted for. A person who acts in no organization is counted like an organization of their
 * own.
 */
export function limitedAs(principal: Principal | undefined, caller: Caller | undefined): RateLimited | undefined {
  if (caller) return { ...caller, userId: caller.actor.userId };
  if (!principal) return undefined;
  const { userId } = principal;
  return { organizationId: userId, credentialId: userId, userId };
}

/**
 * Counts a request against the rate limit of its operation. Every answer, also of an error, carries what is left.
 *
 * @throws {RateLimitedError}
 */
export async function limitRate(
  { rateLimiter }: Pick<Deps, 'rateLimiter'>,
  ctx: Context,
  { rateLimitClass }: Pick<Operation, 'rateLimitClass'>,
  caller: RateLimited | undefined,
): Promise<void> {
  if (!rateLimitClass || !caller) return;
  const state = await rateLimiter.consume(rateLimitClass, caller.organizationId, caller.credentialId, caller.userId);
  const resetSeconds = Math.max(1, Math.ceil(state.resetMs / 1_000));
  ctx.set(toHeaders(rateLimitClass, state, resetSeconds));
  if (!state.allowed) throw new RateLimitedError(resetSeconds);
}

function toHeaders(
  limitClass: RateLimitClass,
  { limit, remaining, isOfPerson }: RateLimitState,
  resetSeconds: number,
): Record<string, string> {
  const policy = isOfPerson ? `${limitClass}-person` : limitClass;
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
  };
}
