import { expect, test } from 'vitest';
import { diffLines } from './line-diff.js';

const BEFORE = 'a\nb\nc\nd\ne\nf\n';

test.each([
  ['', 'a\nb\n', ['+ a', '+ b']],
  [BEFORE, 'a\nb\nc\nX\ne\nf\n', ['  b', '  c', '- d', '+ X', '  e', '  f']],
  [BEFORE, 'a\nb\nc\nd\nX\ne\nf\n', ['  c', '  d', '+ X', '  e', '  f']],
  [BEFORE, 'X\nb\nc\nd\ne\nY\n', ['- a', '+ X', '  b', '  c', '  d', '  e', '- f', '+ Y']],
])('the difference of %j and %j has the changed lines', (before, after, expected) => {
  expect(diffLines(before, after)).toEqual(expected);
});

test('equal texts have no changed lines', () => {
  expect(diffLines(BEFORE, BEFORE).filter((line) => /^[-+]/.test(line))).toEqual([]);
});
