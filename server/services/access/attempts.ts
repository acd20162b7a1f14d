import { createHash } from 'node:crypto';
import type { Deps } from '../../deps.js';
import { addressBlock } from '../../domain/account/client-address.js';
import { foldEmail } from '../../domain/account/email.js';
import { RateLimitedError } from '../../errors.js';
import type { RateLimitClass } from '../../ports/rate-limiter.js';

type AttemptDeps = Pick<Deps, 'rateLimiter'>;

/** Stands where limits of requests name the organization. */
const NO_ORGANIZATION = 'none';

/**
 * Counts an attempt to sign in or to accept an invitation, by where it comes
 * from and by whom it is for.
 *
 * @throws {RateLimitedError} whether it would have succeeded or not
 */
export async function countAttempt(deps: AttemptDeps, ip: string | undefined, email: string): Promise<void> {
  await consume(deps, 'signInAddress', ip === undefined ? 'unknown' : addressBlock(ip));
  await countAccountAttempt(deps, email);
}

/** Counts an attempt to prove who one is to an account. @throws {RateLimitedError} */
export async function countAccountAttempt(deps: AttemptDeps, email: string): Promise<void> {
  // Hashed, since counters may be kept where people can look at them.
  await consume(deps, 'signInAccount', createHash('sha256').update(foldEmail(email)).digest('hex'));
}

async function consume({ rateLimiter }: AttemptDeps, limitClass: RateLimitClass, key: string): Promise<void> {
  const { allowed, resetMs } = await rateLimiter.consume(limitClass, NO_ORGANIZATION, key);
  if (!allowed) throw new RateLimitedError(Math.max(1, Math.ceil(resetMs / 1_000)));
}
