import { expect, test } from 'vitest';
import { Worth } from './worth.js';

const ROWS = 8_192;

function triedOf(worth: Worth, searches: number): number {
  return Array.from({ length: searches }, () => worth.shouldTry()).filter(Boolean).length;
}

test('sketches are read as long as few rows are compared', () => {
  const worth = new Worth();
  for (let search = 0; search < 100; search += 1) worth.learn(ROWS, 300, 0);

  expect(triedOf(worth, 100)).toBe(100);
  expect(worth.isGiven).toBe(true);
});

test('sketches are hardly read if all rows are compared, until they are of use again', () => {
  const worth = new Worth();
  for (let search = 0; search < 10; search += 1) worth.learn(ROWS, 0, ROWS);

  const tried = triedOf(worth, 640);
  expect(worth.isGiven).toBe(false);
  for (let search = 0; search < 10; search += 1) worth.learn(ROWS, 0, 0);

  expect(tried).toBe(10);
  expect(triedOf(worth, 100)).toBe(100);
});
