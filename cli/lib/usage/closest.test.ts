import { expect, test } from 'vitest';
import { closest, editDistance } from './closest.js';

test.each([
  ['search', 'search', 0],
  ['serch', 'search', 1],
  ['saerch', 'search', 1],
  ['sarch2', 'search', 2],
  ['', 'add', 3],
  ['add', '', 3],
])('%s and %s differ by %i edits', (one, other, edits) => {
  expect(editDistance(one, other)).toBe(edits);
});

test('closest returns the nearest candidate, and nothing for another word', () => {
  const commands = ['search', 'stats', 'similar', 'rm'];

  expect(closest('stts', commands)).toBe('stats');
  expect(closest('list', commands)).toBeUndefined();
  expect(closest('x', commands)).toBeUndefined();
});
