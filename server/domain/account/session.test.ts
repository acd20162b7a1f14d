import { describe, expect, test } from 'vitest';
import { createSecret, csrfTokenOf, digestSecret, isSameText, isSessionOver, isWellFormedSecret } from './session.js';

const HOUR = 3_600_000_000;

describe('a secret', () => {
  test('has the expected form and never repeats', () => {
    const secrets = Array.from({ length: 100 }, createSecret);

    expect(new Set(secrets).size).toBe(100);
    expect(secrets.every(isWellFormedSecret)).toBe(true);
  });

  test.each(['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, `${'A'.repeat(42)}\n`])(
    'cannot be %j',
    (text) => expect(isWellFormedSecret(text)).toBe(false),
  );

  test('differs from its digest and from its CSRF token', () => {
    const secret = createSecret();
    const digest = Buffer.from(digestSecret(secret), 'hex').toString('base64url');

    expect(new Set([secret, digest, csrfTokenOf(secret)]).size).toBe(3);
    expect(csrfTokenOf(secret)).toBe(csrfTokenOf(secret));
  });
});

test('isSameText compares texts of equal and of different length', () => {
  expect(isSameText('abc', 'abc')).toBe(true);
  expect(isSameText('abc', 'abd')).toBe(false);
  expect(isSameText('abc', 'abcd')).toBe(false);
});

describe('a session', () => {
  const session = { lastUsedAt: 0, expiresAt: 168 * HOUR };

  test('ends after exactly twelve hours without use', () => {
    expect(isSessionOver(session, 12 * HOUR - 1)).toBe(false);
    expect(isSessionOver(session, 12 * HOUR)).toBe(true);
  });

  test('ends at its expiresAt even if it is in use', () => {
    const busy = { ...session, lastUsedAt: 168 * HOUR - 1 };

    expect(isSessionOver(busy, 168 * HOUR - 1)).toBe(false);
    expect(isSessionOver(busy, 168 * HOUR)).toBe(true);
  });
});
