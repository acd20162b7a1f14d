import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diversePicks, diversityCandidates } from './diversity.js';

interface Candidate {
  score: number;
  vector?: Float32Array;
}

const vectors = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 })
  .filter((components) => components.some((component) => component !== 0))
  .map((components) => unit(components));
const candidates = fc.array(
  fc.record(
    { score: fc.integer({ min: 0, max: 20 }).map((n) => n / 20), vector: vectors },
    { requiredKeys: ['score'] },
  ),
  { maxLength: 15 },
);
const diversities = fc.double({ min: 0, max: 1, noNaN: true });

test('yields each candidate once, the best first', () => {
  fc.assert(
    fc.property(candidates, diversities, (given: Candidate[], diversity) => {
      const picked = pick(given, diversity);

      expect(new Set(picked)).toEqual(new Set(given));
      expect(picked).toHaveLength(given.length);
      if (diversity < 1 && picked[0]) expect(picked[0].score).toBe(Math.max(...given.map(({ score }) => score)));
    }),
  );
});

test('keeps the order of the scores without diversity', () => {
  fc.assert(
    fc.property(candidates, (given: Candidate[]) => {
      expect(pick(given, 0)).toEqual(given.toSorted((one, other) => other.score - one.score));
    }),
  );
});

test('yields the candidate with the highest marginal relevance each time', () => {
  fc.assert(
    fc.property(candidates, diversities, (given: Candidate[], diversity) => {
      const picked = pick(given, diversity);
      const marginOf = ({ score, vector }: Candidate, before: readonly Candidate[]) => {
        const nearest = Math.max(0, ...before.map((other) => cosine(vector, other.vector)));
        return (1 - diversity) * score - diversity * nearest;
      };

      for (const [index, chosen] of picked.entries()) {
        const before = picked.slice(0, index);
        for (const other of picked.slice(index)) {
          expect(marginOf(chosen, before)).toBeGreaterThanOrEqual(marginOf(other, before) - 1e-9);
        }
      }
    }),
  );
});

test('prefers another content to a repetition of the first one', () => {
  const first = { score: 0.9, vector: unit([1, 0, 0]) };
  const repeated = { score: 0.89, vector: unit([1, 0.01, 0]) };
  const other = { score: 0.6, vector: unit([0, 1, 0]) };

  expect(pick([first, repeated, other], 0.5)).toEqual([first, other, repeated]);
  expect(pick([first, repeated, other], 0.1)).toEqual([first, repeated, other]);
});

test('picks from at least fifty candidates, and five for each result', () => {
  expect([1, 10, 11, 50].map(diversityCandidates)).toEqual([50, 50, 55, 250]);
});

function pick(given: readonly Candidate[], diversity: number): Candidate[] {
  return [...diversePicks(given, ({ vector }) => vector, diversity)];
}

function unit(components: readonly number[]): Float32Array {
  const length = Math.hypot(...components);
  return Float32Array.from(components, (component) => component / length);
}

function cosine(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other) return 0;
  return Math.min(
    1,
    Math.max(
      0,
      one.reduce((sum, value, index) => sum + value * other[index]!, 0),
    ),
  );
}
