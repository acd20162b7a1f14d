import { expect, test } from 'vitest';
import { seededRandom } from '../../../../../testing/fixtures/random-text.js';
import { BLOCK_ROWS } from '../block.js';
import { newColumnKernel } from './column-kernel.js';
import { BIAS, columnQueryBytes, writeColumnQuery } from './column-query.js';

const ROWS = 128;
const DIMENSIONS = 40;

test.each([
  ['any', (random: () => number) => Math.floor(random() * 256) - 128],
  ['the smallest', () => -128],
  ['the largest', () => 127],
  ['small', (random: () => number) => Math.floor(random() * 3) - 1],
])('columns computes the products of a query and rows with %s codes', (_, code) => {
  const random = seededRandom(1);
  const kernel = newColumnKernel()!;
  const query = Int8Array.from({ length: DIMENSIONS }, (_each, at) => (at % 3 === 0 ? 0 : code(random)));
  const rows = Array.from({ length: ROWS }, () => Int8Array.from({ length: DIMENSIONS }, () => code(random)));
  const columns = kernel.allocate(BLOCK_ROWS * DIMENSIONS);
  const [queryAt, products, largest] = [columnQueryBytes(DIMENSIONS), 4 * ROWS, ROWS / 4].map((bytes) =>
    kernel.allocate(bytes),
  ) as [number, number, number];
  const bytes = kernel.bytes(columns, BLOCK_ROWS * DIMENSIONS);
  for (const [row, codes] of rows.entries()) {
    for (const [at, each] of codes.entries()) bytes[at * BLOCK_ROWS + row] = each ^ (row % 2 === 0 ? BIAS : 0);
  }
  writeColumnQuery(query, kernel.uint32s(queryAt, columnQueryBytes(DIMENSIONS) / 4));

  kernel.functions.columns(ROWS, columns, queryAt, products, largest);

  const expected = rows.map((codes) => codes.reduce((sum, each, at) => sum + each * query[at]!, 0));
  expect([...kernel.floats(products, ROWS)]).toEqual(expected);
  for (let group = 0; group < ROWS / 16; group += 1) {
    expect(kernel.floats(largest, ROWS / 16)[group]).toBe(Math.max(...expected.slice(16 * group, 16 * group + 16)));
  }
});

test('a query of zeros has no products', () => {
  const kernel = newColumnKernel()!;
  const words = kernel.uint32s(kernel.allocate(columnQueryBytes(DIMENSIONS)), columnQueryBytes(DIMENSIONS) / 4);
  words.fill(7);

  writeColumnQuery(new Int8Array(DIMENSIONS), words);

  expect(words[0]).toBe(0);
});
