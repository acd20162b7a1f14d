import { describe, expect, test } from 'vitest';
import { createToken, describeToken, digestToken, isWellFormedToken } from './token.js';

describe('tokens', () => {
  test('have the documented shape and never repeat', () => {
    const tokens = Array.from({ length: 200 }, createToken);

    expect(tokens.every((token) => /^msk_[0-9A-Za-z]{38}$/.test(token))).toBe(true);
    expect(new Set(tokens).size).toBe(200);
  });

  test('are rejected if the checksum shows a typing error', () => {
    const token = createToken();
    const last = token.at(-1) === 'a' ? 'b' : 'a';

    expect(isWellFormedToken(token)).toBe(true);
    expect(isWellFormedToken(token.slice(0, -1) + last)).toBe(false);
    expect(isWellFormedToken(`${token}a`)).toBe(false);
    expect(isWellFormedToken('')).toBe(false);
  });

  test('are stored as a digest and displayed by prefix and last four characters', () => {
    const token = createToken();

    const shown = describeToken(token);

    expect(digestToken(token)).toMatch(/^[0-9a-f]{64}$/);
    expect(shown.prefix).toBe(token.slice(0, 8));
    expect(shown.lastFour).toBe(token.slice(-4));
  });
});
