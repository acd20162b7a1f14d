import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { OrganizationSettings } from '../../../domain/account/organization.js';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { VectorQuery } from '../../../ports/memory-reader.js';
import type { Store } from '../../../ports/store.js';
import { EmbedderReplacedError } from '../../../ports/store-errors.js';
import {
  aFounding,
  anOrganization,
  atCosine,
  change,
  FINGERPRINT,
  NORTH,
  OTHER_FINGERPRINT,
  softDelete,
  store,
  unitVector,
} from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const NEAREST = { filter: NO_FILTER, includeDeleted: false, vector: NORTH, limit: 10 } satisfies VectorQuery;

/** Tests the replacement of an organization's embedder by another one. */
export function pendingSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: a pending embedder`, () => {
    test('is no obstacle to a search of an organization without vectors, whatever embedder it names', async () => {
      const tested = await openEmpty();
      const organizationId = v7();
      await tested.accounts.createOrganization(aFounding(organizationId));

      expect(await tested.memories.nearest(organizationId, { ...NEAREST, fingerprint: FINGERPRINT })).toEqual([]);
    });

    test('does not answer queries of the embedder that it replaces, and that one none of its own', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { content: 'word' });
      const found = (fingerprint: string) => tested.memories.nearest(organizationId, { ...NEAREST, fingerprint });
      const compared = async (fingerprint: string) => {
        const query = { filter: NO_FILTER, includeDeleted: false, text: 'word', limit: 9 };
        const comparedTo = { vector: NORTH, fingerprint };
        const { matches } = await tested.memories.matching(organizationId, { ...query, comparedTo });
        return matches.map(({ similarity }) => similarity);
      };

      expect(await found(FINGERPRINT)).toHaveLength(1);
      expect(await compared(FINGERPRINT)).toHaveLength(1);
      await expect(found(OTHER_FINGERPRINT)).rejects.toThrow(EmbedderReplacedError);
      await expect(compared(OTHER_FINGERPRINT)).rejects.toThrow(EmbedderReplacedError);
      await tested.transact(organizationId, async (unit) => {
        const settings = await unit.settings();
        await unit.saveSettings({ ...settings, pendingFingerprint: OTHER_FINGERPRINT });
        await unit.storePending(memory!.id, { embedding: NORTH, fingerprint: OTHER_FINGERPRINT });
        await unit.saveSettings({ ...settings, embeddingFingerprint: OTHER_FINGERPRINT });
      });
      expect(await found(OTHER_FINGERPRINT)).toHaveLength(1);
      expect(await compared(OTHER_FINGERPRINT)).toEqual([1]);
      await expect(found(FINGERPRINT)).rejects.toThrow(EmbedderReplacedError);
      await expect(compared(FINGERPRINT)).rejects.toThrow(EmbedderReplacedError);
    });
    test.each([8, 16])(
      'of %i dimensions is searched from the switch on, which every memory is ready for',
      async (dimensions) => {
        const tested = await openEmpty();
        const organizationId = await anOrganization(tested);
        const fingerprint = `pending|x|${dimensions}`;
        const pendingAt = (axis: number) => ({ embedding: unitVector(onAxis(axis), dimensions), fingerprint });
        const nearest = async (query: Partial<VectorQuery> = {}) => {
          const found = await tested.memories.nearest(organizationId, { ...NEAREST, includeDeleted: true, ...query });
          return found.map(({ memory: { content }, similarity }) => `${content} ${similarity.toFixed(2)}`);
        };
        const [changed, deleted] = await store(
          tested,
          organizationId,
          { content: 'changed', embedding: atCosine(0.9) },
          { content: 'deleted', embedding: atCosine(0.8) },
          { content: 'kept', embedding: atCosine(0.7) },
        );
        await setEmbedders(tested, organizationId, { pendingFingerprint: fingerprint });
        const { memories } = await tested.memories.findUnembedded(organizationId, 9);
        await tested.transact(organizationId, async (unit) => {
          for (const [axis, { id }] of memories.entries()) await unit.storePending(id, pendingAt(axis));
          expect(await unit.isPendingComplete()).toBe(true);
        });
        await store(tested, organizationId, { content: 'both', embedding: atCosine(0.6), pending: pendingAt(3) });
        await softDelete(tested, deleted!);
        await change(tested, changed!, { content: 'changed again' }, atCosine(0.5));

        expect(memories.map(({ content }) => content)).toEqual(['changed', 'deleted', 'kept']);
        expect(await nearest()).toEqual(['deleted 0.80', 'kept 0.70', 'both 0.60', 'changed again 0.50']);
        expect(await tested.memories.countUnembedded(organizationId)).toEqual({ all: 4, unembedded: 1 });
        await tested.transact(organizationId, async (unit) => {
          expect(await unit.isPendingComplete()).toBe(false);
          await unit.storePending(changed!.id, pendingAt(0));
          expect(await unit.isPendingComplete()).toBe(true);
        });
        await setEmbedders(tested, organizationId, {
          embeddingFingerprint: fingerprint,
          formerFingerprint: FINGERPRINT,
        });

        for (const [axis, content] of ['changed again', 'deleted', 'kept', 'both'].entries()) {
          const vector = unitVector(onAxis(axis), dimensions);
          expect((await nearest({ vector, fingerprint }))[0]).toBe(`${content} 1.00`);
        }
        await tested.transact(organizationId, async (unit) => {
          expect(await unit.similarityOf(deleted!.id, unitVector(onAxis(1), dimensions))).toBeCloseTo(1, 6);
          expect([await unit.deleteFormerVectors(3), await unit.deleteFormerVectors(3)]).toEqual([3, 1]);
          expect(await unit.deleteFormerVectors(3)).toBe(0);
        });
        expect(await nearest({ vector: unitVector(onAxis(2), dimensions), limit: 1 })).toEqual(['kept 1.00']);
      },
    );

    test('that is canceled leaves the searched vectors, and can be begun again', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const pending = { embedding: NORTH, fingerprint: OTHER_FINGERPRINT };
      const [memory] = await store(tested, organizationId, { embedding: atCosine(0.5) });
      const similarity = async () => (await tested.memories.nearest(organizationId, NEAREST))[0]?.similarity;
      const begin = { pendingFingerprint: OTHER_FINGERPRINT };
      await setEmbedders(tested, organizationId, begin);
      await tested.transact(organizationId, (unit) => unit.storePending(memory!.id, pending));

      await setEmbedders(tested, organizationId, { formerFingerprint: OTHER_FINGERPRINT });
      await expect(tested.transact(organizationId, (unit) => unit.storePending(memory!.id, pending))).rejects.toThrow(
        'is not the pending embedder',
      );
      expect(await tested.transact(organizationId, (unit) => unit.deleteFormerVectors(9))).toBe(1);

      expect(await similarity()).toBeCloseTo(0.5, 6);
      await setEmbedders(tested, organizationId, begin);
      expect((await tested.memories.findUnembedded(organizationId, 9)).memories).toHaveLength(1);
      await tested.transact(organizationId, (unit) => unit.storePending(memory!.id, pending));
      await setEmbedders(tested, organizationId, { embeddingFingerprint: OTHER_FINGERPRINT });
      expect(await similarity()).toBeCloseTo(1, 6);
    });
  });
}

function onAxis(axis: number): number[] {
  return [0, 0, 0, 0].map((_, at) => (at === axis ? 1 : 0));
}

/** Replaces the embedders in the settings; without new ones, the searched embedder stays and the others are unset. */
async function setEmbedders(
  tested: Store,
  organizationId: string,
  embedders: Pick<OrganizationSettings, 'embeddingFingerprint' | 'pendingFingerprint' | 'formerFingerprint'>,
): Promise<void> {
  await tested.transact(organizationId, async (unit) => {
    const { pendingFingerprint: _, formerFingerprint: __, ...settings } = await unit.settings();
    await unit.saveSettings({ ...settings, ...embedders });
  });
}
