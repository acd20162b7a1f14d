import { expect, test } from 'vitest';
import { overscanOf, rangeAround, viewOf } from './virtual-rows.js';

const FRAME = { top: 200, height: 600 };

test.each([
  [0, { first: 0, end: 4 }],
  [200, { first: 0, end: 6 }],
  [350, { first: 1, end: 8 }],
  [1_000_200, { first: 10_000, end: 10_006 }],
])('at %d pixels the rows %j are in view', (scrollTop, view) => {
  expect(viewOf(scrollTop, FRAME, 100)).toEqual(view);
});

test('a jump renders the rows in view and a few around them, and then more', () => {
  const view = { first: 100, end: 106 };

  const jumped = rangeAround(view, { first: 0, end: 14 }, 2);
  const filled = rangeAround(view, jumped, 8);

  expect(jumped).toEqual({ first: 98, end: 108 });
  expect(filled).toEqual({ first: 92, end: 114 });
  expect(rangeAround(view, filled, 8)).toBe(filled);
});

test('a step keeps the rows that stay near, and drops the others', () => {
  const shown = { first: 92, end: 114 };

  expect(rangeAround({ first: 100, end: 106 }, shown, 2)).toBe(shown);
  expect(rangeAround({ first: 103, end: 109 }, shown, 2)).toEqual({ first: 95, end: 114 });
  expect(rangeAround({ first: 112, end: 118 }, shown, 2)).toEqual({ first: 104, end: 120 });
});

test('a step to rows that are rendered renders more around them than a jump to others', () => {
  const view = { first: 100, end: 106 };

  const afterStep = overscanOf(view, { first: 98, end: 106 });
  const afterJump = overscanOf(view, { first: 92, end: 105 });

  expect(rangeAround(view, { first: 98, end: 106 }, afterStep)).toEqual({ first: 92, end: 114 });
  expect(afterJump).toBeLessThan(afterStep);
});

test('no row is before the first one', () => {
  expect(rangeAround({ first: 3, end: 9 }, { first: 92, end: 114 }, 8)).toEqual({ first: 0, end: 17 });
});
