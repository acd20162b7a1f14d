import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { VectorQuery } from '../../../ports/memory-reader.js';
import {
  anOrganization,
  atCosine,
  change,
  indexedBy,
  insertInto,
  NORTH,
  softDelete,
  store,
  unitVector,
} from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const NEAREST = { filter: NO_FILTER, includeDeleted: false, vector: NORTH, limit: 10 } satisfies VectorQuery;
const DAY = 86_400_000_000;

/** Returns a vector near the first axis. The bits of a number set the signs of its small other parts. */
function nearNorth(bits: number): Float32Array {
  return unitVector([1, ...Array.from({ length: 7 }, (_, axis) => ((bits >> axis) & 1 ? -0.0035 : 0.0035))]);
}

function isPowerOfTwo(n: number): boolean {
  return n > 0 && Number.isInteger(Math.log2(n));
}

/** Tests search by vector, and the similarity of one memory. */
export function vectorsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: nearest`, () => {
    test('returns the most similar first, with their cosine clipped to [0, 1]', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const cosines = [0.25, 1, -0.5, 0.75, 0];
      const stored = await store(tested, organizationId, ...cosines.map((cosine) => ({ embedding: atCosine(cosine) })));

      const found = await tested.memories.nearest(organizationId, NEAREST);

      expect(found.map(({ memory }) => memory).slice(0, 3)).toEqual([stored[1], stored[3], stored[0]]);
      for (const [index, cosine] of [1, 0.75, 0.25, 0, 0].entries()) {
        expect(found[index]!.similarity).toBeCloseTo(cosine, 6);
        expect(found[index]!.score).toBe(found[index]!.similarity);
      }
    });

    test('returns at most the limit, and only memories above the minimum similarity', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = Array.from({ length: 20 }, (_, index) => ({ embedding: atCosine(index / 20) }));
      await store(tested, organizationId, ...given);
      const similarities = async (query: Partial<VectorQuery>) =>
        (await tested.memories.nearest(organizationId, { ...NEAREST, ...query })).map(({ similarity }) => similarity);

      expect(await similarities({ limit: 3 })).toHaveLength(3);
      expect(await similarities({ limit: 50, minSimilarity: 0.5 })).toHaveLength(10);
      expect(await similarities({ limit: 50, minSimilarity: 0.99 })).toEqual([]);
      expect(await similarities({ limit: 50, minSimilarity: 0 })).toHaveLength(20);
    });

    test.each([6, 300])('returns the %i memories that match, though 600 others are nearer', async (matching) => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const nearer = Array.from({ length: 600 }, (_, n) => ({
        embedding: atCosine(0.9, 1 + (n % 7)),
        metadata: { n },
      }));
      const few = Array.from({ length: matching }, (_, n) => ({
        embedding: atCosine(0.1, 1 + (n % 7)),
        metadata: { kind: 'few' },
      }));
      await store(tested, organizationId, ...nearer, ...few);

      const filter = { metadata: [{ key: 'kind', anyOf: ['few'] }] };
      const found = await tested.memories.nearest(organizationId, { ...NEAREST, filter });

      expect(found).toHaveLength(Math.min(10, matching));
      expect(found.every(({ memory }) => memory.metadata.kind === 'few')).toBe(true);
    });

    test('returns the exact best if requested, however alike the others are', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      // Vectors with every combination of signs except all positive. In eight bits they are all equal.
      const alike = Array.from({ length: 150 }, (_, n) => ({ embedding: nearNorth((n % 127) + 1), metadata: { n } }));
      const [best] = (await store(tested, organizationId, ...alike, { embedding: nearNorth(0) })).slice(-1);
      const query = { ...NEAREST, vector: nearNorth(0), exact: true };

      const found = await tested.memories.nearest(organizationId, { ...query, limit: 1 });
      const several = await tested.memories.nearest(organizationId, { ...query, limit: 5 });

      expect(found.map(({ memory }) => memory)).toEqual([best]);
      expect(several[0]?.memory).toEqual(best);
      // Seven of the sign patterns differ in one place only.
      expect(several.slice(1).every(({ memory: { metadata } }) => isPowerOfTwo((Number(metadata.n) % 127) + 1))).toBe(
        true,
      );
    });

    test('shows an organization only its own memories', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [mine] = await store(tested, own, { embedding: atCosine(0.1) });
      await store(tested, other, { embedding: NORTH });

      const found = await tested.memories.nearest(own, { ...NEAREST, includeDeleted: true });

      expect(found.map(({ memory }) => memory)).toEqual([mine]);
      expect(await tested.memories.nearest(v7(), NEAREST)).toEqual([]);
    });

    test('finds a memory right after its write, and never again by a former vector', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { embedding: atCosine(0.5) }, { embedding: atCosine(0.4) });
      const similarity = async (id: string, includeDeleted = false) =>
        (await tested.memories.nearest(organizationId, { ...NEAREST, includeDeleted })).find(
          ({ memory }) => memory.id === id,
        )?.similarity;

      const [memory] = await store(tested, organizationId, { embedding: NORTH });
      expect(await similarity(memory!.id)).toBeCloseTo(1, 6);
      await change(tested, memory!, { content: 'other' }, atCosine(0.2));
      expect(await similarity(memory!.id)).toBeCloseTo(0.2, 6);
      await change(tested, memory!, { metadata: { touched: true } });
      expect(await similarity(memory!.id)).toBeCloseTo(0.2, 6);
      expect(await similarity(memory!.id, true)).toBeCloseTo(0.2, 6);
      await softDelete(tested, memory!);
      expect(await similarity(memory!.id)).toBeUndefined();
      expect(await similarity(memory!.id, true)).toBeCloseTo(0.2, 6);
    });

    test('finds the remaining memories after deletes in any order', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const stored = await store(
        tested,
        organizationId,
        ...Array.from({ length: 12 }, (_, n) => ({ embedding: atCosine(n / 12) })),
      );

      const left = new Set(stored.map(({ id }) => id));
      for (const index of [11, 0, 5, 6, 1, 10, 3]) {
        await softDelete(tested, stored[index]!);
        left.delete(stored[index]!.id);
        const found = await tested.memories.nearest(organizationId, { ...NEAREST, limit: 50 });
        expect(new Set(found.map(({ memory }) => memory.id))).toEqual(left);
      }
      const all = await tested.memories.nearest(organizationId, { ...NEAREST, limit: 50, includeDeleted: true });
      expect(all).toHaveLength(12);
    });

    test('ranks by the blend with recency', async () => {
      let wall = 1_000 * DAY;
      const tested = await openEmpty({ now: () => wall });
      const organizationId = await anOrganization(tested);
      const [old] = await store(tested, organizationId, { embedding: atCosine(0.9) });
      wall += 30 * DAY;
      const [fresh] = await store(tested, organizationId, { embedding: atCosine(0.7) });
      const ranked = (weight: number) =>
        tested.memories.nearest(organizationId, { ...NEAREST, recency: { weight, halflifeDays: 30, now: wall } });

      const plain = await ranked(0);
      const blended = await ranked(0.5);

      expect(plain.map(({ memory }) => memory)).toEqual([old, fresh]);
      expect(blended.map(({ memory }) => memory)).toEqual([fresh, old]);
      expect(blended[0]!.score).toBeCloseTo(0.5 * 0.7 + 0.5, 5);
      expect(blended[1]!.score).toBeCloseTo(0.5 * 0.9 + 0.25, 5);
      expect(blended[1]!.similarity).toBeCloseTo(0.9, 5);
    });

    test('finds vectors of the embedder in the settings only', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [foreign, current] = await store(tested, organizationId, { fingerprint: 'foreign|x|8' }, {});
      await softDelete(tested, foreign!);

      const found = await tested.memories.nearest(organizationId, { ...NEAREST, includeDeleted: true });

      expect(found.map(({ memory }) => memory)).toEqual([current]);
    });
  });

  describe(`${name}: similarityOf`, () => {
    test('returns the cosine of the stored vector, clipped to [0, 1], as the unit sees it', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [near, far, gone] = await store(
        tested,
        organizationId,
        ...[0.75, -0.5, 0.5].map((cosine) => ({ embedding: atCosine(cosine) })),
      );
      await softDelete(tested, gone!);

      const seen = await tested.transact(organizationId, async (unit) => {
        const inserted = await insertInto(unit, { embedding: atCosine(0.99) });
        const similarities: unknown[] = [];
        for (const { id } of [near!, far!, gone!, inserted]) similarities.push(await unit.similarityOf(id, NORTH));
        await unit.update(near!, indexedBy(near!, atCosine(0.1)));
        return [...similarities, await unit.similarityOf(near!.id, NORTH)];
      });

      for (const [index, cosine] of [0.75, 0, 0.5, 0.99, 0.1].entries()) expect(seen[index]).toBeCloseTo(cosine, 6);
    });

    test('returns undefined for vectors of another embedder, and for memories that are unknown or of others', async () => {
      const tested = await openEmpty();
      const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [former, wide] = await store(
        tested,
        organizationId,
        { embedding: NORTH, fingerprint: 'former|x|8' },
        { embedding: unitVector([1], 16), fingerprint: 'former|wide|16' },
      );
      const [foreign] = await store(tested, other, { embedding: NORTH });
      const ids = [former!.id, wide!.id, foreign!.id, v7(), 'no uuid'];

      const seen = await tested.transact(organizationId, async (unit) => {
        const similarities: unknown[] = [];
        for (const id of ids) similarities.push(await unit.similarityOf(id, NORTH));
        return similarities;
      });

      expect(seen).toEqual(ids.map(() => undefined));
    });
  });

  describe(`${name}: findVectors`, () => {
    test('returns the stored vector of a memory, soft-deleted or not', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [kept, gone] = await store(
        tested,
        organizationId,
        { embedding: atCosine(0.75), fingerprint: 'test|axes|8' },
        { embedding: atCosine(0.5), fingerprint: 'test|axes|8' },
      );
      await softDelete(tested, gone!);

      const found = await tested.memories.findVectors(organizationId, [gone!.id, kept!.id], 'test|axes|8');

      expect(found.size).toBe(2);
      expect(found.get(kept!.id)).toEqual(atCosine(0.75));
      expect(found.get(gone!.id)).toEqual(atCosine(0.5));
      expect(await tested.memories.findVectors(organizationId, [], 'test|axes|8')).toEqual(new Map());
    });

    test('returns nothing for another embedder, and for memories that are unknown or of others', async () => {
      const tested = await openEmpty();
      const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [former] = await store(tested, organizationId, { embedding: NORTH, fingerprint: 'former|x|8' });
      const [foreign] = await store(tested, other, { embedding: NORTH, fingerprint: 'test|axes|8' });

      const ids = [former!.id, foreign!.id, v7(), 'no uuid'];
      expect(await tested.memories.findVectors(organizationId, ids, 'test|axes|8')).toEqual(new Map());
      expect(await tested.memories.findVectors(v7(), [foreign!.id], 'test|axes|8')).toEqual(new Map());
    });
  });
}
