import { expect, test } from 'vitest';
import { longestFor, longestWith, writeInt16 } from './int16.js';

const MAX_INT32 = 2 ** 31 - 1;

test('numbers are written as multiples of the finest step', () => {
  const values = Float32Array.of(0.5, -0.25, 0, 0.1);
  const written = new Int16Array(values.length);

  const step = writeInt16(values, written, Number.POSITIVE_INFINITY);

  expect(written[0]).toBe(32_767);
  for (const [at, value] of values.entries())
    expect(Math.abs(written[at]! * step - value)).toBeLessThanOrEqual(step / 2);
});

test('zeros stay zeros', () => {
  const written = Int16Array.of(1, 2);

  expect(writeInt16(new Float32Array(2), written, 1)).toBeGreaterThan(0);
  expect([...written]).toEqual([0, 0]);
});

test('products with codes, and with vectors of a known length, are int32', () => {
  const dimensions = 4_096;
  const [values, written] = [new Float32Array(dimensions).fill(1), new Int16Array(dimensions)];

  writeInt16(values, written, longestFor(dimensions));
  const withCodes = written.reduce((sum, value) => sum + 127 * value, 0);
  const other = new Int16Array(dimensions).fill(32_767);
  writeInt16(values, written, longestWith(Math.hypot(...other)));
  const withOther = written.reduce((sum, value) => sum + 32_767 * value, 0);

  for (const product of [withCodes, withOther]) {
    expect(product).toBeGreaterThan(MAX_INT32 / 4);
    expect(product).toBeLessThan(MAX_INT32);
  }
});
