import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSignedBy } from './signature.js';

const BODY = Buffer.from('Hello, World!');
const SECRET = "It's a Secret to Everybody";
// Test values from GitHub's documentation.
const DIGEST = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

describe('a signature', () => {
  test('matches the example of the code host', () => {
    expect(isSignedBy('codehost', `sha256=${DIGEST}`, BODY, [SECRET])).toBe(true);
    expect(isSignedBy('tracker', DIGEST, BODY, [SECRET])).toBe(true);
  });

  test('is valid with any of the secrets', () => {
    expect(isSignedBy('tracker', DIGEST, BODY, ['new', SECRET])).toBe(true);
    expect(isSignedBy('tracker', DIGEST, BODY, [SECRET, 'old'])).toBe(true);
    expect(isSignedBy('tracker', DIGEST, BODY, [])).toBe(false);
  });

  test('covers the exact bytes of the body', () => {
    const spaced = Buffer.from('{"a": 1}');
    const signature = createHmac('sha256', SECRET).update('{"a":1}').digest('hex');

    expect(isSignedBy('tracker', signature, spaced, [SECRET])).toBe(false);
  });

  test.each([
    ['codehost', undefined],
    ['codehost', ''],
    ['codehost', DIGEST],
    ['codehost', `sha1=${DIGEST}`],
    ['codehost', `sha256=${DIGEST}00`],
    ['codehost', `sha256=${DIGEST.slice(2)}`],
    ['codehost', `sha256=${DIGEST.replace('7', '8')}`],
    ['codehost', `sha256=${'0'.repeat(64)}`],
    ['codehost', ` sha256=${DIGEST}`],
    ['codehost', `sha256=${DIGEST}\n`],
    ['tracker', `sha256=${DIGEST}`],
    ['tracker', '0'.repeat(64)],
    ['tracker', 'g'.repeat(64)],
  ] as const)('of a %s cannot be %j', (kind, header) => {
    expect(isSignedBy(kind, header, BODY, [SECRET])).toBe(false);
  });

  test('made with an empty secret is rejected', () => {
    const signature = createHmac('sha256', '').update(BODY).digest('hex');

    expect(isSignedBy('tracker', signature, BODY, [SECRET])).toBe(false);
  });
});
