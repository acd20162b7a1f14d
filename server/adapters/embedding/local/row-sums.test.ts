import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { PlainRowSums, type RowSums, rowSums } from './row-sums.js';

const ROW_BYTES = 21;
const DIMENSIONS = 2 * ROW_BYTES;
const ROWS = 40;

const codes = Uint8Array.from({ length: ROWS * ROW_BYTES }, (_, at) => (at * 167 + (at >> 3) * 31) & 0xff);
const added = fc.tuple(fc.nat({ max: ROWS - 1 }), fc.double({ min: -2, max: 2, noNaN: true }));

test('WebAssembly gives the bits of the plain sums, for any rows, number of rows and dimensions', () => {
  const [fast, plain] = [rowSums(codes, ROW_BYTES), new PlainRowSums(codes, ROW_BYTES)];

  expect(fast).not.toBeInstanceOf(PlainRowSums);
  fc.assert(
    fc.property(fc.array(added, { maxLength: 1_500 }), fc.integer({ min: 1, max: DIMENSIONS }), (rows, dimensions) => {
      expect(bitsOf(sumOf(fast, rows, dimensions))).toEqual(bitsOf(sumOf(plain, rows, dimensions)));
    }),
  );
});

test('a sum is of the rows since the last one', () => {
  const sums = rowSums(codes, ROW_BYTES);
  sums.add(3, 1);

  const first = sums.take(2);

  expect([...first]).toEqual(
    [(codes[3 * ROW_BYTES] as number) >> 4, (codes[3 * ROW_BYTES] as number) & 0x0f].map(minusEight),
  );
  expect([...sums.take(2)]).toEqual([0, 0]);
});

test('a platform without WebAssembly gets plain sums', () => {
  vi.stubGlobal('WebAssembly', undefined);

  const sums = rowSums(codes, ROW_BYTES);

  vi.unstubAllGlobals();
  expect(sums).toBeInstanceOf(PlainRowSums);
});

function sumOf(sums: RowSums, rows: readonly (readonly [number, number])[], dimensions: number): Float64Array {
  for (const [row, factor] of rows) sums.add(row, factor);
  return sums.take(dimensions);
}

/** Tells 0 from -0, unlike numbers. */
function bitsOf(sum: Float64Array): bigint[] {
  return [...new BigUint64Array(sum.buffer)];
}

function minusEight(code: number): number {
  return code - 8;
}
