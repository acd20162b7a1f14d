import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Microseconds } from '../timestamp.js';

const HOUR = 3_600_000_000;

/** After so long without a request a session ends. */
const SESSION_IDLE: Microseconds = 12 * HOUR;

/** After so long it ends in any case. */
export const SESSION_LIFETIME: Microseconds = 7 * 24 * HOUR;

/** How exactly the last use is kept. */
export const SESSION_TOUCHED_EVERY: Microseconds = 60_000_000;

const SECRET_SHAPE = /^[\w-]{43}$/;

/** 256 random bits for a cookie or a link. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text can be a secret at all, so that noise never reaches the store. */
export function isWellFormedSecret(text: string): boolean {
  return SECRET_SHAPE.test(text);
}

/** What is stored of a secret: its SHA-256, hex. */
export function digestSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * What a page must send with requests that change something. It follows from
 * the secret in the cookie, which no other site can read and no script either.
 */
export function csrfTokenOf(secret: string): string {
  return createHash('sha256').update(`csrf ${secret}`).digest('base64url');
}

/** Takes the same time wherever two texts differ. */
export function isSameText(given: string, expected: string): boolean {
  const [one, other] = [createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest()];
  return timingSafeEqual(one, other);
}

export function isSessionOver(
  { lastUsedAt, expiresAt }: { lastUsedAt: Microseconds; expiresAt: Microseconds },
  now: Microseconds,
): boolean {
  return now >= expiresAt || now - lastUsedAt >= SESSION_IDLE;
}
