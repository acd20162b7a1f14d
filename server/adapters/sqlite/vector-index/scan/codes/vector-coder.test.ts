import { expect, test } from 'vitest';
import { unitVector } from '../../../../../testing/fixtures/memories.js';
import { newKernelCoder } from './kernel-coder.js';
import { PlainCoder } from './vector-coder.js';

test.each([8, 1_024, 16, 21, 1, 4_096, 1_000])('both coders compute the same for %i dimensions', (dimensions) => {
  const vector = someVector(dimensions);
  const [plain, kernel] = [new PlainCoder(), newKernelCoder()!];
  // A longer vector before must not be in the rest of the last part.
  kernel.load(someVector(dimensions + 40));
  kernel.codes(0.01);

  const [largest, same] = [plain.load(vector), kernel.load(vector)];
  const step = largest / 127;
  const [expected, found] = [plain.codes(step), kernel.codes(step)];

  expect(same).toBe(largest);
  expect(Math.max(...vector.map((component) => Math.abs(component)))).toBe(largest);
  expect(found.codes).toHaveLength(dimensions);
  for (const [index, code] of found.codes.entries()) {
    // The product of a component and the steps in a unit may be a half in only one of the two precisions.
    expect(Math.abs(vector[index]! / step - code)).toBeLessThanOrEqual(0.500_05);
    expect(Math.abs(vector[index]! / step - expected.codes[index]!)).toBeLessThanOrEqual(0.500_05);
  }
  expect(Math.sqrt(found.squares)).toBeCloseTo(Math.sqrt(expected.squares), 6);
  expect(Math.max(...found.codes.map(Math.abs))).toBe(127);
});

test('codes stay as they are when the next vector is loaded', () => {
  const coder = newKernelCoder()!;
  coder.load(Float32Array.of(0.6, -0.8));
  const { codes } = coder.codes(0.8 / 127);

  coder.load(Float32Array.of(-0.8, 0.6));
  coder.codes(0.8 / 127);

  expect(codes).toEqual(Int8Array.of(95, -127));
});

function someVector(dimensions: number): Float32Array {
  return unitVector(
    Array.from({ length: dimensions }, (_, n) => Math.sin(n * n + dimensions)),
    dimensions,
  );
}
