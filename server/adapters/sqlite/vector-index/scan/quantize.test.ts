import { expect, test } from 'vitest';
import { coarsened } from './quantize.js';

const EVERY_CODE = Int8Array.from({ length: 255 }, (_, index) => index - 127);

test.each([1, 2, 3, 8, 31])(
  'codes of many rows become the same coarser ones as those of one row: %i steps',
  (steps) => {
    const [own, step] = [1 / 127, 2 ** (steps / 2) / 127];
    const many = new Int8Array(255 * 40);
    for (let at = 0; at < many.length; at += 255) many.set(EVERY_CODE, at);

    const coarse = coarsened({ codes: EVERY_CODE, step: own }, step);
    const ofMany = coarsened({ codes: many, step: own }, step);

    expect([...coarse]).toEqual([...EVERY_CODE].map((code) => Math.round(code * (own / step)) + 0));
    for (let at = 0; at < many.length; at += 255) expect(ofMany.subarray(at, at + 255)).toEqual(coarse);
  },
);

test('a part of a buffer is converted without the rest', () => {
  const codes = new Int8Array(8_192).fill(100).fill(50, 4_096);

  expect(new Set(coarsened({ codes: codes.subarray(4_096), step: 1 }, 2))).toEqual(new Set([25]));
});
