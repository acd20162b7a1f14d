import { expect, test } from 'vitest';
import { joinPerToken } from './per-token.js';

test('joins what is made of the tokens, and reads each distinct one once', () => {
  const read: string[] = [];
  const double = (token: string) => {
    read.push(token);
    return token + token;
  };

  expect(joinPerToken(['a', 'b', 'a', '', 'b'], double)).toBe('aabbaabb');
  expect(read).toEqual(['a', 'b', '']);
});
