import type { Microseconds } from '../timestamp.js';

/** An address block that a user signed in from. */
export interface SignInPlace {
  /** Keyed, of the account and the block, so that the store does not show addresses. */
  digest: string;
  /** Time of the last sign-in from there. */
  at: Microseconds;
}

/** The most that are remembered of one user. */
const MOST_PLACES = 20;

/** 90 days after the last sign-in. */
const PLACE_LIFETIME: Microseconds = 90 * 24 * 60 * 60 * 1_000_000;

/** @param digests of the block: one for each key at hand */
export function isKnownPlace(places: readonly SignInPlace[], digests: readonly string[], now: Microseconds): boolean {
  return places.some(({ digest, at }) => digests.includes(digest) && now - at < PLACE_LIFETIME);
}

/**
 * Adds the block of a sign-in, with the newest first, and drops those that are too old or too many.
 *
 * @param digests of the block: one for each key at hand; the first is stored
 */
export function rememberPlace(
  places: readonly SignInPlace[],
  digests: readonly string[],
  now: Microseconds,
): SignInPlace[] {
  const others = places.filter(({ digest, at }) => !digests.includes(digest) && now - at < PLACE_LIFETIME);
  const [digest] = digests;
  return [...(digest === undefined ? [] : [{ digest, at: now }]), ...others].slice(0, MOST_PLACES);
}
