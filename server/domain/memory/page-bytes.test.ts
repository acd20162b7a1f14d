import { expect, test } from 'vitest';
import { countWithin, memoryBytes } from './page-bytes.js';

test('bytes of a memory are those of its content and metadata in UTF-8', () => {
  expect(memoryBytes({ content: 'äb', metadata: { k: 'é' } })).toBe(3 + '{"k":"é"}'.length + 1);
});

test.each([
  [[], 5, 0],
  [[9], 5, 1],
  [[9, 1], 5, 1],
  [[2, 3], 5, 2],
  [[2, 3, 1], 5, 2],
  [[2, 2, 2, 0], 5, 2],
])('of %j at most %i bytes are the first %i', (sizes, maxBytes, count) => {
  expect(countWithin(sizes, maxBytes, (size) => size)).toBe(count);
});
