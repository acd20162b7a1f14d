import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DocumentName } from '../../../domain/documents/document.js';
import type { Filter } from '../../../domain/filter/filter.js';
import { anOrganization, FINGERPRINT, insertInto } from '../../fixtures/memories.js';
import { expectNearest, MemoryModel, vectors } from '../model/memory-model.js';
import type { StoreOpening } from '../store.suite.js';

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

/** Documents of one id and other subjects are other documents. */
const DOCUMENTS: DocumentName[] = [
  { documentId: 'large' },
  { documentId: 'large', subjectKey: 7 },
  { documentId: 'large', subjectKey: '7' },
  { documentId: 'small' },
  { documentId: 'small', subjectKey: 7 },
  { documentId: '$where', subjectKey: '7' },
];

const questions = fc.record({
  filter: fc.constantFrom(...FILTERS),
  vector: vectors,
  limit: fc.integer({ min: 1, max: 30 }),
  minSimilarity: fc.constantFrom<number | undefined>(undefined, 0.5),
  weight: fc.constantFrom<number | undefined>(undefined, 0.05, 0.3, 0.7, 1),
  halflifeDays: fc.constantFrom(0.5, 10, 1_000),
  exact: fc.boolean(),
  outside: fc.option(fc.subarray(DOCUMENTS, { minLength: 1 }), { nil: undefined, freq: 2 }),
});

/** Tests search among so many memories that no store compares all of them exactly, unless requested. */
export function rankingSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: ranking`, () => {
    test('ranks many memories in the same order as a full scan', { timeout: 120_000 }, async () => {
      let wall = 1_000 * DAY;
      const tested = await openEmpty({ now: () => wall });
      const organizationId = await anOrganization(tested);
      const model = new MemoryModel();
      const document = fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 3, arbitrary: fc.constantFrom(...DOCUMENTS.slice(0, 3)) },
        { weight: 1, arbitrary: fc.constantFrom(...DOCUMENTS.slice(3)) },
      );
      const given = fc.record({ vectors, document, rare: fc.nat(199), half: fc.boolean() });
      await tested.transact(organizationId, async (unit) => {
        for (const sample of fc.sample(given, { numRuns: MEMORIES, seed: 1 })) {
          const { vectors: embedding, document = {}, ...others } = sample;
          const { subjectKey, ...chunk }: Partial<DocumentName> = document;
          wall += STEP;
          const metadata = {
            ...others,
            ...(chunk.documentId !== undefined && { ...chunk, chunkIndex: 0, chunkTotal: 1 }),
          };
          const memory = await insertInto(unit, {
            embedding,
            metadata,
            ...(subjectKey !== undefined && { subjectKey }),
          });
          model.put({ memory, embedding, fingerprint: FINGERPRINT });
        }
      });

      const asking = fc.sample(questions, { numRuns: 250, seed: 2 });
      for (const { minSimilarity, weight, halflifeDays, outside, ...asked } of asking) {
        await expectNearest(tested, organizationId, model, {
          ...asked,
          includeDeleted: false,
          ...(minSimilarity !== undefined && { minSimilarity }),
          ...(outside && { outside }),
          ...(weight !== undefined && { recency: { weight, halflifeDays, now: wall } }),
        });
      }
      for (const filter of FILTERS) {
        const scope = { filter, includeDeleted: false };
        expect(await tested.memories.countByDocument(organizationId, scope, DOCUMENTS)).toEqual(
          model.countByDocument(scope, DOCUMENTS),
        );
      }
    });
  });
}
