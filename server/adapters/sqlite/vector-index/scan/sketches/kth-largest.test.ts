import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kthLargest } from './kth-largest.js';

test('equals the k-th of the sorted values', () => {
  const values = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.float({ noNaN: true })), { minLength: 1 });
  fc.assert(
    fc.property(values, fc.nat(120), (array, n) => {
      const floats = Float32Array.from(array);
      const sorted = floats.toSorted().reverse();
      expect(kthLargest(floats, n + 1)).toBe(n < sorted.length ? sorted[n] : Number.NEGATIVE_INFINITY);
    }),
  );
});
