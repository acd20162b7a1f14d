import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Microseconds } from '../timestamp.js';

const HOUR_US = 3_600_000_000;

/** Time without a request after which a session ends. */
export const MAX_IDLE_US: Microseconds = 12 * HOUR_US;

/** Time after which a session ends even if it is in use. */
export const SESSION_LIFETIME_US: Microseconds = 7 * 24 * HOUR_US;

/**
 * Time after which an ended session or sign-in link is deleted, counted from its `expiresAt`. It is much longer than
 * the clocks of servers differ, so that no server deletes what is still valid for another one.
 */
export const ENDED_SIGN_IN_KEPT_US: Microseconds = 24 * HOUR_US;

/** Shortest time between two stored times of last use. */
export const SESSION_TOUCH_INTERVAL_US: Microseconds = 60_000_000;

const SECRET_SHAPE = /^[\w-]{43}$/;

/** Returns 256 random bits for a cookie or a link. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Reports if a text has the form of a secret. Other texts are not searched for in the store. */
export function isWellFormedSecret(text: string): boolean {
  return SECRET_SHAPE.test(text);
}

/** Returns the SHA-256 of a secret, hex. Only this is stored. */
export function digestSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Returns the token that a page must send with requests that change something. It is derived from the secret in the
 * cookie, which neither another site nor a script can read.
 */
export function csrfTokenOf(secret: string): string {
  return createHash('sha256').update(`csrf ${secret}`).digest('base64url');
}

/** Compares two texts in constant time. */
export function isSameText(given: string, expected: string): boolean {
  const [one, other] = [createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest()];
  return timingSafeEqual(one, other);
}

export function isSessionOver(
  { lastUsedAt, expiresAt }: { lastUsedAt: Microseconds; expiresAt: Microseconds },
  now: Microseconds,
): boolean {
  return now >= expiresAt || now - lastUsedAt >= MAX_IDLE_US;
}
