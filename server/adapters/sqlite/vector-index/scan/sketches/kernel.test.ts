import { expect, onTestFinished, test, vi } from 'vitest';
import { seededRandom } from '../../../../../testing/fixtures/random-text.js';
import { placeOf } from './axes/interleaved.js';
import { newSketchKernel, type SketchKernel } from './kernel.js';

const ROWS = 48;
const HEAD = 32;
const DIMENSIONS = 64;

function newKernel(): SketchKernel {
  const kernel = newSketchKernel();
  if (!kernel) throw new Error('this platform has no WebAssembly');
  return kernel;
}

/** Stores floats in a kernel. */
function stored(kernel: SketchKernel, values: readonly number[]): number {
  const address = kernel.allocate(4 * values.length);
  kernel.floats(address, values.length).set(values);
  return address;
}

function numbers(count: number, random: () => number): number[] {
  return Array.from({ length: count }, () => random() * 2 - 1);
}

test('scan adds the products of heads, the selected table entries and the slacks', () => {
  const random = seededRandom(1);
  const kernel = newKernel();
  const bytes = (count: number, of: () => number) => Array.from({ length: count }, of);
  const heads = bytes(ROWS * HEAD, () => Math.floor(random() * 255) - 127);
  const headQuery = bytes(HEAD, () => Math.floor(random() * 65_535) - 32_767);
  const bits = bytes((ROWS * DIMENSIONS) / 8, () => Math.floor(random() * 256));
  const tables = bytes((DIMENSIONS / 4) * 16, () => Math.floor(random() * 64));
  const [factors, slacks] = [numbers(ROWS, random), numbers(ROWS, random)];
  const [a, b, c, d] = [1e-6, 0.01, -3, 2];

  const query = stored(kernel, [a, b, c, d]);
  const addresses = {
    headQuery: kernel.allocate(2 * HEAD),
    tables: kernel.allocate(tables.length),
    heads: kernel.allocate(heads.length),
    bits: kernel.allocate(bits.length),
  };
  const [factorsAt, slacksAt] = [stored(kernel, factors), stored(kernel, slacks)];
  const [uppers, largest] = [kernel.allocate(4 * ROWS), kernel.allocate(ROWS / 4)];
  kernel.int16s(addresses.headQuery, HEAD).set(headQuery);
  kernel.bytes(addresses.tables, tables.length).set(tables);
  kernel.int8s(addresses.heads, heads.length).set(heads);
  kernel.bytes(addresses.bits, bits.length).set(bits);
  kernel.functions.scan(
    ROWS,
    ...([query, addresses.headQuery, addresses.tables, addresses.heads, HEAD, addresses.bits, DIMENSIONS / 8] as const),
    ...([factorsAt, slacksAt, uppers, largest] as const),
  );

  const expected = factors.map((factor, row) => {
    let [head, rest] = [0, 0];
    for (let n = 0; n < HEAD; n += 1) head += heads[row * HEAD + n]! * headQuery[n]!;
    const group = ((row >> 4) * 16 * DIMENSIONS) / 8;
    for (let plane = 0; plane < DIMENSIONS / 8; plane += 1) {
      const byte = bits[group + 16 * plane + (row & 15)]!;
      rest += tables[32 * plane + (byte & 15)]! + tables[32 * plane + 16 + (byte >> 4)]!;
    }
    return a * head + d * slacks[row]! + factor * (c + b * rest);
  });
  const found = kernel.floats(uppers, ROWS);
  for (const [row, each] of expected.entries()) expect(found[row]).toBeCloseTo(each, 3);
  for (let group = 0; group < ROWS / 16; group += 1) {
    expect(kernel.floats(largest, ROWS / 16)[group]).toBe(Math.max(...found.subarray(16 * group, 16 * group + 16)));
  }
});

/** Stores numbers as int16. */
function storedShort(kernel: SketchKernel, values: readonly number[]): number {
  const address = kernel.allocate(2 * values.length);
  kernel.int16s(address, values.length).set(values);
  return address;
}

test('multiply returns the products of each row with each vector', () => {
  const random = seededRandom(3);
  const kernel = newKernel();
  const [outputs, count, inputs] = [32, 6, 44];
  const shorts = (of: number) => numbers(of, random).map((value) => Math.round(6_000 * value));
  const [matrix, vectors] = [shorts(outputs * inputs), shorts(count * inputs)];
  const placed: number[] = [];
  for (const [at, value] of matrix.entries()) {
    placed[placeOf(Math.floor(at / inputs), at % inputs, inputs)] = value;
  }
  const [matrixAt, vectorsAt] = [storedShort(kernel, placed), storedShort(kernel, vectors)];
  const products = kernel.allocate(4 * count * outputs);

  kernel.functions.multiply(outputs, matrixAt, inputs, count / 2, vectorsAt, products);

  const found = kernel.floats(products, count * outputs);
  expect(placed).toHaveLength(matrix.length);
  for (let n = 0; n < found.length; n += 1) {
    const [vector, output] = [Math.floor(n / outputs), n % outputs];
    let sum = 0;
    for (let at = 0; at < inputs; at += 1) sum += matrix[output * inputs + at]! * vectors[vector * inputs + at]!;
    expect(found[n]).toBe(Math.fround(sum));
  }
});

test('rest subtracts products and means from codes', () => {
  const random = seededRandom(6);
  const kernel = newKernel();
  const length = 24;
  const codes = numbers(length, random).map((value) => Math.round(127 * value));
  const [products, means] = [numbers(length, random), numbers(length, random)];
  const addresses = [storedShort(kernel, codes), stored(kernel, products), stored(kernel, means)] as const;
  const result = kernel.allocate(4 * length);

  kernel.functions.rest(...addresses, stored(kernel, [0.01, 3, 0.5]), length, result);

  for (const [at, found] of kernel.floats(result, length).entries()) {
    expect(found).toBeCloseTo(0.01 * codes[at]! - 3 * products[at]! - 0.5 * means[at]!, 5);
  }
});

test('sizes adds the sizes of components, and their squares', () => {
  const kernel = newKernel();
  const vector = numbers(20, seededRandom(7));
  const result = kernel.allocate(8);

  kernel.functions.sizes(stored(kernel, vector), vector.length, result);

  const [sizes, squares] = kernel.floats(result, 2);
  expect(sizes).toBeCloseTo(
    vector.map(Math.abs).reduce((sum, size) => sum + size, 0),
    4,
  );
  expect(squares).toBeCloseTo(
    vector.reduce((sum, component) => sum + component ** 2, 0),
    4,
  );
});

test('mix multiplies with signs and with the Hadamard matrix', () => {
  const random = seededRandom(4);
  const kernel = newKernel();
  const length = 32;
  const vector = numbers(length, random);
  const signs = vector.map(() => (random() < 0.5 ? -1 : 1));
  const at = stored(kernel, vector);

  kernel.functions.mix(at, stored(kernel, signs), length);

  const found = kernel.floats(at, length);
  for (let row = 0; row < length; row += 1) {
    let sum = 0;
    for (let n = 0; n < length; n += 1) sum += (isOdd(row & n) ? -1 : 1) * signs[n]! * vector[n]!;
    expect(found[row]).toBeCloseTo(sum, 4);
  }
});

test('signs sets a bit for each negative component', () => {
  const kernel = newKernel();
  const vector = numbers(16, seededRandom(5));
  const at = stored(kernel, vector);
  const bits = kernel.allocate(32);

  kernel.functions.signs(at, 16, bits);

  const found = kernel.bytes(bits, 17);
  const bitsFound = vector.map((_, n) => ((found[n < 8 ? 0 : 16]! >> (n % 8)) & 1) === 1);
  expect(bitsFound).toEqual(vector.map((component) => component < 0));
});

test('memory grows with what is allocated', () => {
  const kernel = newKernel();
  const first = stored(kernel, [1, 2, 3]);

  const large = kernel.allocate(10_000_000);
  kernel.bytes(large, 10_000_000).fill(7);

  expect([...kernel.floats(first, 3)]).toEqual([1, 2, 3]);
  expect(() => kernel.allocate(2 ** 33)).toThrow(RangeError);
  expect(kernel.allocate(64)).toBeGreaterThanOrEqual(large + 10_000_000);
});

test('there is no kernel without WebAssembly', async () => {
  vi.resetModules();
  vi.stubGlobal('WebAssembly', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const without = await import('./kernel.js');

  expect(without.newSketchKernel()).toBeUndefined();
});

/** Reports if a number has an odd number of bits. */
function isOdd(value: number): boolean {
  return value === 0 ? false : isOdd(value & (value - 1)) !== true;
}
