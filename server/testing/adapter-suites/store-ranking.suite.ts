import fc from 'fast-check';
import { describe, test } from 'vitest';
import type { Filter } from '../../domain/memory/filter.js';
import { anOrganization, FINGERPRINT, insertInto } from '../fixtures/memories.js';
import { expectNearest, MemoryModel, vectors } from './memory-model.js';
import type { StoreOpening } from './store.suite.js';

const MEMORIES = 1_500;
const DAY = 86_400_000_000;
/** The memories are an hour apart and span two months. */
const STEP = DAY / 24;

const FILTERS: Filter[] = [
  { metadata: [] },
  { metadata: [{ key: 'half', anyOf: [true] }] },
  { metadata: [{ key: 'rare', anyOf: [1, 2, 3] }] },
  {
    metadata: [
      { key: 'rare', anyOf: [7] },
      { key: 'half', anyOf: [true, false] },
    ],
  },
];

const questions = fc.record({
  filter: fc.constantFrom(...FILTERS),
  vector: vectors,
  limit: fc.integer({ min: 1, max: 30 }),
  minSimilarity: fc.constantFrom<number | undefined>(undefined, 0.5),
  weight: fc.constantFrom<number | undefined>(undefined, 0.05, 0.3, 0.7, 1),
  halflifeDays: fc.constantFrom(0.5, 10, 1_000),
  exact: fc.boolean(),
});

/** Tests search among so many memories that no store compares all of them exactly, unless requested. */
export function rankingSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: ranking`, () => {
    test('ranks many memories in the same order as a full scan', { timeout: 120_000 }, async () => {
      let wall = 1_000 * DAY;
      const tested = await openEmpty({ now: () => wall });
      const organizationId = await anOrganization(tested);
      const model = new MemoryModel();
      const given = fc.record({ vectors, rare: fc.nat(199), half: fc.boolean() });
      await tested.transact(organizationId, async (unit) => {
        for (const { vectors: embedding, ...metadata } of fc.sample(given, { numRuns: MEMORIES, seed: 1 })) {
          wall += STEP;
          model.put({ memory: await insertInto(unit, { embedding, metadata }), embedding, fingerprint: FINGERPRINT });
        }
      });

      for (const { minSimilarity, weight, halflifeDays, ...asked } of fc.sample(questions, { numRuns: 250, seed: 2 })) {
        await expectNearest(tested, organizationId, model, {
          ...asked,
          includeDeleted: false,
          ...(minSimilarity !== undefined && { minSimilarity }),
          ...(weight !== undefined && { recency: { weight, halflifeDays, now: wall } }),
        });
      }
    });
  });
}
