import { describe, expect, test } from 'vitest';
import { createSecret, csrfTokenOf, digestSecret, isSameText, isSessionOver, isWellFormedSecret } from './session.js';

const HOUR = 3_600_000_000;

describe('a secret', () => {
  test('is 256 bits that were never given out before', () => {
    const secrets = Array.from({ length: 100 }, createSecret);

    expect(new Set(secrets).size).toBe(100);
    expect(secrets.every(isWellFormedSecret)).toBe(true);
  });

  test.each(['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, `${'A'.repeat(42)}\n`])(
    'is not what %j is',
    (text) => expect(isWellFormedSecret(text)).toBe(false),
  );

  test('tells neither its digest from its page token, nor itself from either', () => {
    const secret = createSecret();
    const digest = Buffer.from(digestSecret(secret), 'hex').toString('base64url');

    expect(new Set([secret, digest, csrfTokenOf(secret)]).size).toBe(3);
    expect(csrfTokenOf(secret)).toBe(csrfTokenOf(secret));
  });
});

test('texts are the same when they are, whatever their length', () => {
  expect(isSameText('abc', 'abc')).toBe(true);
  expect(isSameText('abc', 'abd')).toBe(false);
  expect(isSameText('abc', 'abcd')).toBe(false);
});

describe('a session', () => {
  const session = { lastUsedAt: 0, expiresAt: 168 * HOUR };

  test('is over after twelve hours without use, and not a moment before', () => {
    expect(isSessionOver(session, 12 * HOUR - 1)).toBe(false);
    expect(isSessionOver(session, 12 * HOUR)).toBe(true);
  });

  test('is over when its time has come, however busy it is', () => {
    const busy = { ...session, lastUsedAt: 168 * HOUR - 1 };

    expect(isSessionOver(busy, 168 * HOUR - 1)).toBe(false);
    expect(isSessionOver(busy, 168 * HOUR)).toBe(true);
  });
});
