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
  if (caller) {
    const { organizationId, credentialId, actor } = caller;
    return { organizationId, credentialId, userId: actor.userId };
  }
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
  setHeaders(ctx, rateLimitClass, state, resetSeconds);
  if (!state.allowed) throw new RateLimitedError(resetSeconds);
}

function setHeaders(
  { res }: Context,
  limitClass: RateLimitClass,
  { limit, remaining, isOfPerson }: RateLimitState,
  resetSeconds: number,
): void {
  const policy = isOfPerson ? `${limitClass}-person` : limitClass;
  res.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
  res.setHeader('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
  res.setHeader('X-RateLimit-Limit', String(limit));
  res.setHeader('X-RateLimit-Remaining', String(remaining));
}
