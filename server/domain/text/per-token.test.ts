import { expect, test } from 'vitest';
import { perToken } from './per-token.js';

const LONG = 'x'.repeat(40);

/** Returns a function that doubles each token, and the tokens that it read. */
function doubling() {
  const read: string[] = [];
  const join = perToken((token) => {
    read.push(token);
    return token + token;
  });
  return { join, read };
}

test('joins the results, and reads each distinct token once', () => {
  const { join, read } = doubling();

  expect(join(['a', 'b', 'a', '', 'b', LONG, LONG])).toBe(`aabbaabb${LONG.repeat(4)}`);
  expect(read).toEqual(['a', 'b', '', LONG]);
});

test('reads a word once for many texts, and data once for each', () => {
  const { join, read } = doubling();

  for (let text = 0; text < 3; text += 1) expect(join(['a', LONG])).toBe(`aa${LONG.repeat(2)}`);

  expect(read).toEqual(['a', LONG, LONG, LONG]);
});

test('gives the same results for more words than it keeps', () => {
  const { join } = doubling();
  const words = Array.from({ length: 25_000 }, (_, n) => `w${n}`);

  expect(join([...words, ...words])).toBe([...words, ...words].map((word) => word + word).join(''));
});
