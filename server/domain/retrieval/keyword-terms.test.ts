import { describe, expect, test } from 'vitest';
import { termsOf } from './keyword-terms.js';

describe('termsOf', () => {
  test.each([
    ['Deploying DEPLOYS deployed', ['deploi', 'deploi', 'deploi']],
    ['Crème brûlée', ['creme', 'brule']],
    ['a_b-c.d', ['a', 'b', 'c', 'd']],
    ['привет мир 42', ['привет', 'мир', '42']],
    ['', []],
    ['"* NEAR(', ['near']],
  ])('makes of %j the words %j', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  test('cuts what is no word', () => {
    expect(termsOf('x'.repeat(100_000))).toEqual(['x'.repeat(64)]);
  });
});
