import { expect, test } from 'vitest';
import { displayWidth, truncate } from './display-width.js';

test.each([
  ['tea', 3],
  ['Ünï', 3],
  ['e\u0301', 1],
  ['日本語', 6],
  ['한국어', 6],
  ['ﾊﾝｶｸ', 4],
  ['ＡＢ', 4],
  ['😀', 2],
  ['👩‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['❤️', 2],
  ['©', 1],
  ['🀄x', 3],
  ['', 0],
])('%s fills %i columns', (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test('truncates by columns, and never within a character', () => {
  expect(truncate('tea', 3)).toBe('tea');
  expect(truncate('green tea', 6)).toBe('green…');
  expect(truncate('日本語のお茶', 6)).toBe('日本…');
  expect(truncate('日本語のお茶', 7)).toBe('日本語…');
  expect(truncate('xe\u0301e\u0301e\u0301', 3)).toBe('xe\u0301…');
});
