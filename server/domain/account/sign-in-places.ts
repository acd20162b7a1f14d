import type { Microseconds } from '../timestamp.js';

/** An address block that a user signed in from. */
export interface SignInPlace {
  /** Keyed digest of account and block, so that the store reveals no addresses. */
  digest: string;
  /** Time of the last sign-in from this block. */
  at: Microseconds;
}

/** Maximum number of stored places per user. */
const MAX_PLACES = 20;

/** Time after the last sign-in at which a place is no longer known: 90 days. */
const PLACE_LIFETIME_US: Microseconds = 90 * 24 * 60 * 60 * 1_000_000;

/** @param digests of the block, one per key */
export function isKnownPlace(places: readonly SignInPlace[], digests: readonly string[], now: Microseconds): boolean {
  return places.some(({ digest, at }) => digests.includes(digest) && now - at < PLACE_LIFETIME_US);
}

/**
 * Adds the block of a sign-in as the first place, and drops places that are too old or too many.
 *
 * @param digests of the block, one per key; the first is stored
 */
export function rememberPlace(
  places: readonly SignInPlace[],
  digests: readonly string[],
  now: Microseconds,
): SignInPlace[] {
  const others = places.filter(({ digest, at }) => !digests.includes(digest) && now - at < PLACE_LIFETIME_US);
  const [digest] = digests;
  return [...(digest === undefined ? [] : [{ digest, at: now }]), ...others].slice(0, MAX_PLACES);
}
