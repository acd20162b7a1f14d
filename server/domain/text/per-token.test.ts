import { expect, test } from 'vitest';
import { joinPerToken } from './per-token.js';

test('joinPerToken joins the results, and reads each distinct token once', () => {
  const read: string[] = [];
  const double = (token: string) => {
    read.push(token);
    return token + token;
  };

  expect(joinPerToken(['a', 'b', 'a', '', 'b'], double)).toBe('aabbaabb');
  expect(read).toEqual(['a', 'b', '']);
});
