import { expect, test } from 'vitest';
import { unitVector } from '../../../../../testing/fixtures/memories.js';
import { coarsened, quantized } from './quantize.js';

const EVERY_CODE = Int8Array.from({ length: 255 }, (_, index) => index - 127);

test.each([1, 2, 3, 8, 31])(
  'codes of many rows become the same coarser ones as those of one row: %i steps',
  (steps) => {
    const [own, step] = [1 / 127, 2 ** (steps / 2) / 127];
    const many = new Int8Array(255 * 40);
    for (let at = 0; at < many.length; at += 255) many.set(EVERY_CODE, at);

    const coarse = coarsened({ codes: EVERY_CODE, step: own }, step);
    const ofMany = coarsened({ codes: many, step: own }, step);

    const errors = [...coarse].map((code, index) => code * (step / own) - EVERY_CODE[index]!);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThanOrEqual((step / own / 2) * 1.000_001);
    for (let at = 0; at < many.length; at += 255) expect(ofMany.subarray(at, at + 255)).toEqual(coarse);
  },
);

test.each([2, 4])('codes become neither longer nor shorter by a step %i times as large', (ratio) => {
  // The steps of `quantized` are not exact.
  const [own, step] = [Math.SQRT2 ** -10 / 127, Math.SQRT2 ** (2 * Math.log2(ratio) - 10) / 127];

  const coarse = coarsened({ codes: EVERY_CODE, step: own }, step);

  const product = (other: (index: number) => number) =>
    EVERY_CODE.reduce((sum, code, index) => sum + code * other(index), 0);
  expect(product((index) => ratio * coarse[index]!) / product((index) => EVERY_CODE[index]!)).toBeCloseTo(1, 3);
});

test('a part of a buffer is converted without the rest', () => {
  const codes = new Int8Array(8_192).fill(100).fill(50, 4_096);

  expect(new Set(coarsened({ codes: codes.subarray(4_096), step: 1 }, 2))).toEqual(new Set([25]));
});

test('codes are the nearest ones at their step, also at one that other vectors need', () => {
  const vector = unitVector([0.3, -0.2, 0.9, 0, -0.01, 0.05]);
  const own = quantized(vector);
  const coarser = quantized(vector, 4 * own.step);

  for (const { codes, step, error } of [own, coarser]) {
    const errors = [...vector].map((component, index) => component - codes[index]! * step);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThanOrEqual((step / 2) * 1.000_001);
    expect(error).toBeCloseTo(Math.hypot(...errors), 7);
  }
  expect(coarser.step).toBe(4 * own.step);
  expect(quantized(vector, own.step / 2).step).toBe(own.step);
});
