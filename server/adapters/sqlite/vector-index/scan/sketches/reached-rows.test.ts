import { expect, test } from 'vitest';
import { seededRandom } from '../../../../../testing/fixtures/random-text.js';
import { reachedRows } from './reached-rows.js';

const ROWS = 160;

test('rows are reached from one number to below another', () => {
  const random = seededRandom(2);
  const numbers = Float32Array.from({ length: ROWS }, () => random());
  const largest = Float32Array.from({ length: ROWS / 16 }, (_, group) =>
    Math.max(...numbers.subarray(16 * group, 16 * group + 16)),
  );
  const [first, rows] = [32, 100];
  const [from, most] = [numbers[first + 3]!, Math.max(...numbers.subarray(first, first + rows))];

  const some = reachedRows({ numbers, largest }, { first, rows }, from, most);
  const best = reachedRows({ numbers, largest }, { first, rows }, most);

  const expected = Array.from({ length: rows }, (_, row) => row).filter((row) => {
    const number = numbers[first + row]!;
    return number >= from && number < most;
  });
  expect(expected).toContain(3);
  expect(some).toEqual(expected);
  expect(best).toEqual([numbers.indexOf(most, first) - first]);
});
