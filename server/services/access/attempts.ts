import type { Deps } from '../../deps.js';
import { addressBlock } from '../../domain/account/client-address.js';
import { foldEmail } from '../../domain/account/email.js';
import { isKnownPlace } from '../../domain/account/sign-in-places.js';
import type { Owner } from '../../domain/fairness/owner.js';
import { RateLimitedError } from '../../errors.js';
import type { User } from '../../ports/account-store.js';
import type { RateLimitClass } from '../../ports/rate-limiter.js';

type AttemptDeps = Pick<Deps, 'store' | 'now' | 'rateLimiter' | 'secretBox'>;
type CountDeps = Pick<Deps, 'rateLimiter' | 'secretBox'>;

/** Stands where limits of requests name the organization. */
const NO_ORGANIZATION = 'none';

/** What a counter or a place stands for, so that equal texts of different kinds have different digests. */
const COUNTER = 'memory-service sign-in counter';
const PLACE = 'memory-service sign-in place';

/** An attempt that is within the limits. */
interface Attempt {
  /** Whose address was given. */
  user: User | undefined;
  /** What the address block is remembered by; see SignInPlace. Empty where the block is not known. */
  places: string[];
}

/**
 * Counts an attempt to sign in or to accept an invitation: by address block,
 * by account from that block, and by account from all blocks that the account
 * has not signed in from before. So a flood against an account does not keep
 * its owner out.
 *
 * @throws {RateLimitedError} whether it would have succeeded or not
 */
export async function admitAttempt(deps: AttemptDeps, ip: string | undefined, email: string): Promise<Attempt> {
  const block = blockOf(ip);
  const account = foldEmail(email);
  const pair = `${block}\n${account}`;
  await consume(deps, 'signInAddress', block);
  await consume(deps, 'signIn', pair);
  // After the limits that a flood from one block meets. An unknown account is counted alike, so that the limits tell nothing.
  const user = await deps.store.accounts.findUserByEmail(email);
  const places = ip === undefined ? [] : deps.secretBox.digests(pair, PLACE);
  if (!isKnownPlace(user?.signInPlaces ?? [], places, deps.now())) await consume(deps, 'signInAccount', account);
  return { user, places };
}

/** Counts an attempt of somebody with a credential to prove their password, apart from those to sign in. @throws {RateLimitedError} */
export async function countPasswordCheck(deps: CountDeps, userId: string): Promise<void> {
  await consume(deps, 'signIn', userId);
}

/** Keyed digests, since counters may be kept where people can look at them. */
async function consume({ rateLimiter, secretBox }: CountDeps, limitClass: RateLimitClass, key: string): Promise<void> {
  const [digest = ''] = secretBox.digests(key, COUNTER);
  const { allowed, resetMs } = await rateLimiter.consume(limitClass, NO_ORGANIZATION, digest);
  if (!allowed) throw new RateLimitedError(Math.max(1, Math.ceil(resetMs / 1_000)));
}

/** Whom the password of an attempt counts for. */
export function attemptOwner(ip: string | undefined): Owner {
  return { kind: 'address', id: blockOf(ip) };
}

function blockOf(ip: string | undefined): string {
  return ip === undefined ? 'unknown' : addressBlock(ip);
}
