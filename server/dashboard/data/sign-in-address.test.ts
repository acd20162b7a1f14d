import { expect, test } from 'vitest';
import { pageAfterSignIn, signInAddress } from './sign-in-address.js';

const ORIGIN = 'https://memory.test';

test('the page that was asked for opens after a sign-in', () => {
  const page = '/o/an-organization/memories?filter=a%20b';
  const next = new URL(signInAddress(page), ORIGIN).searchParams.get('next') ?? undefined;

  expect(pageAfterSignIn(next, ORIGIN)).toBe(page);
});

test.each([
  'https://elsewhere.test/',
  '//elsewhere.test/',
  '/\\elsewhere.test',
  'javascript:alert(1)',
  'o/x',
  'http://[',
  '',
])('an address can not lead to another page after a sign-in: %s', (next) => {
  expect(pageAfterSignIn(next, ORIGIN)).toBe('/');
});
