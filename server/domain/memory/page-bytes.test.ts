import { expect, test } from 'vitest';
import { countMemoriesWithin, countWithin, memoryBytes } from './page-bytes.js';

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

test.each([
  [10, 1_000],
  [40, 1_000],
  [3, 300_000],
  [3, 700_000],
])('countMemoriesWithin of %i memories of %i characters is what countWithin counts', (count, length) => {
  const memories = Array.from({ length: count }, (_, n) => ({
    content: '\u20ac'.repeat(length),
    metadata: { text: 'x'.repeat(60_000), n },
  }));

  for (const maxBytes of [1_000_000, 2_000_000, 4_000_000]) {
    expect(countMemoriesWithin(memories, maxBytes)).toBe(countWithin(memories, maxBytes, memoryBytes));
  }
});
