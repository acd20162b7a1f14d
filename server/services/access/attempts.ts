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

/** Replaces the organization in rate limits that apply to no organization. */
const NO_ORGANIZATION = 'none';

/** Purposes of a digest, so that equal texts of different kinds have different digests. */
const COUNTER = 'memory-service sign-in counter';
const PLACE = 'memory-service sign-in place';

/** An attempt that is within the limits. */
interface Attempt {
  /** The user with the given address. */
  user: User | undefined;
  /** Digests that identify the address block; see SignInPlace. Empty if the block is not known. */
  places: string[];
}

/**
 * Counts an attempt to sign in or to accept an invitation. It counts by address block, by account from that block,
 * and by account from all blocks that the account never signed in from. A flood of attempts against an account
 * therefore does not lock out its owner.
 *
 * @throws {RateLimitedError} whether or not the attempt would have succeeded
 */
export async function admitAttempt(deps: AttemptDeps, ip: string | undefined, email: string): Promise<Attempt> {
  const account = foldEmail(email);
  await admitAddress(deps, ip);
  await consume(deps, 'signIn', pairOf(ip, account));
  // After the limits of the block, which stop a flood from it. Unknown accounts are counted too: the limits must not
  // reveal which accounts exist.
  const user = await deps.store.accounts.findUserByEmail(email);
  const places = placesOf(deps, ip, email);
  if (!isKnownPlace(user?.signInPlaces ?? [], places, deps.now())) await consume(deps, 'signInAccount', account);
  return { user, places };
}

/**
 * Counts an attempt by address block only. For requests that present a code, which nobody can guess.
 *
 * @throws {RateLimitedError} whether or not the attempt would have succeeded
 */
export async function admitAddress(deps: CountDeps, ip: string | undefined): Promise<void> {
  await consume(deps, 'signInAddress', blockOf(ip));
}

/** Returns digests that identify an account and an address block; see SignInPlace. Empty if the block is not known. */
export function placesOf({ secretBox }: Pick<Deps, 'secretBox'>, ip: string | undefined, email: string): string[] {
  return ip === undefined ? [] : secretBox.digests(pairOf(ip, foldEmail(email)), PLACE);
}

/** Counts a password check of a user who is already authenticated. It does not count as an attempt to sign in. */
export async function countPasswordCheck(deps: CountDeps, userId: string): Promise<void> {
  await consume(deps, 'signIn', userId);
}

/** Counts by keyed digests, since other people may be able to read the counters. */
async function consume({ rateLimiter, secretBox }: CountDeps, limitClass: RateLimitClass, key: string): Promise<void> {
  const [digest = ''] = secretBox.digests(key, COUNTER);
  const { allowed, resetMs } = await rateLimiter.consume(limitClass, NO_ORGANIZATION, digest);
  if (!allowed) throw new RateLimitedError(Math.max(1, Math.ceil(resetMs / 1_000)));
}

/** Returns the owner that the hashing of a password counts for. */
export function attemptOwner(ip: string | undefined): Owner {
  return { kind: 'address', id: blockOf(ip) };
}

function pairOf(ip: string | undefined, account: string): string {
  return `${blockOf(ip)}\n${account}`;
}

function blockOf(ip: string | undefined): string {
  return ip === undefined ? 'unknown' : addressBlock(ip);
}
