import { expect, test } from 'vitest';
import { countWithin, memoryBytes } from './page-bytes.js';

test('memoryBytes counts content and metadata in UTF-8', () => {
  expect(memoryBytes({ content: 'äb', metadata: { k: 'é' } })).toBe(3 + '{"k":"é"}'.length + 1);
});

test.each([
  [[], 5, 0],
  [[9], 5, 1],
  [[9, 1], 5, 1],
  [[2, 3], 5, 2],
  [[2, 3, 1], 5, 2],
  [[2, 2, 2, 0], 5, 2],
])('countWithin of %j and at most %i bytes is %i', (sizes, maxBytes, count) => {
  expect(countWithin(sizes, maxBytes, (size) => size)).toBe(count);
});
