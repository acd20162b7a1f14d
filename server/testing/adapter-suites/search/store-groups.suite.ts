import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { DocumentName } from '../../../domain/documents/document.js';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import { anOrganization, atCosine, type Given, NORTH, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const ACTIVE = { filter: NO_FILTER, includeDeleted: false };
const ALL = { filter: NO_FILTER, includeDeleted: true };
const LONG = 'x'.repeat(512);

/** Tests searches outside documents, and the counts of their memories. */
export function groupsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: documents in searches`, () => {
    test('leaves out the memories of documents, by documentId and subject', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [plain, single, integer, text, long] = await store(
        tested,
        organizationId,
        { content: 'word one', embedding: atCosine(0.9) },
        chunkOf({ documentId: 'd' }, 0.8),
        chunkOf({ documentId: 'd', subjectKey: 7 }, 0.7),
        chunkOf({ documentId: 'd', subjectKey: '7' }, 0.6),
        chunkOf({ documentId: LONG }, 0.5),
      );
      const found = async (...outside: DocumentName[]) => {
        const near = await tested.memories.nearest(organizationId, { ...ACTIVE, vector: NORTH, limit: 9, outside });
        const { matches } = await tested.memories.matching(organizationId, {
          ...ACTIVE,
          text: 'word',
          limit: 9,
          outside,
          comparedTo: { vector: NORTH },
        });
        const ids = near.map(({ memory }) => memory.id);
        expect(matches.map(({ memory }) => memory.id).sort()).toEqual([...ids].sort());
        const similarities = new Map(matches.map(({ memory, similarity }) => [memory.id, similarity]));
        for (const { memory, similarity } of near) expect(similarities.get(memory.id)).toBeCloseTo(similarity, 6);
        return ids;
      };

      expect(await found()).toEqual([plain!.id, single!.id, integer!.id, text!.id, long!.id]);
      expect(await found({ documentId: 'd' })).toEqual([plain!.id, integer!.id, text!.id, long!.id]);
      expect(await found({ documentId: 'd', subjectKey: 7 })).toEqual([plain!.id, single!.id, text!.id, long!.id]);
      expect(await found({ documentId: 'd', subjectKey: '7' }, { documentId: LONG })).toEqual([
        plain!.id,
        single!.id,
        integer!.id,
      ]);
      expect(await found({ documentId: 'unknown' })).toHaveLength(5);
    });

    test('leaves out deleted memories of documents too', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [kept, gone] = await store(
        tested,
        organizationId,
        chunkOf({ documentId: 'kept' }, 0.8),
        chunkOf({ documentId: 'gone' }, 0.7),
      );
      await softDelete(tested, gone!);
      const query = { ...ALL, outside: [{ documentId: 'gone' }], limit: 9 };

      const near = await tested.memories.nearest(organizationId, { ...query, vector: NORTH });
      const worded = await tested.memories.matching(organizationId, { ...query, text: 'word' });

      expect(near.map(({ memory }) => memory.id)).toEqual([kept!.id]);
      expect(worded.matches.map(({ memory }) => memory.id)).toEqual([kept!.id]);
    });

    test('counts the memories of each document that match', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const mine: DocumentName = { documentId: 'd', subjectKey: 'ana' };
      const [, , gone] = await store(
        tested,
        organizationId,
        chunkOf({ documentId: 'd' }),
        chunkOf({ documentId: 'd' }, 0.5, { kind: 'note' }),
        chunkOf({ documentId: 'd' }),
        chunkOf(mine),
        chunkOf({ documentId: LONG }),
        { content: 'word of none' },
      );
      await softDelete(tested, gone!);
      const count = (scope: typeof ACTIVE, ...documents: DocumentName[]) =>
        tested.memories.countByDocument(organizationId, scope, documents);
      const notes = { ...ACTIVE, filter: { metadata: [{ key: 'kind', anyOf: ['note'] }] } };
      const others = { ...ACTIVE, filter: { metadata: [{ key: 'documentId', anyOf: ['d'] }] } };
      const anas = { ...ACTIVE, filter: { metadata: [], subjectKey: 'ana' } };

      expect(await count(ACTIVE, { documentId: LONG }, mine, { documentId: 'd' })).toEqual([1, 1, 2]);
      expect(await count(ALL, { documentId: 'd' })).toEqual([3]);
      expect(await count(notes, { documentId: 'd' }, mine)).toEqual([1, 0]);
      expect(await count(others, mine, { documentId: 'd' })).toEqual([1, 2]);
      expect(await count(anas, mine)).toEqual([1]);
      expect(await count(ACTIVE)).toEqual([]);
      expect(await tested.memories.countByDocument(v7(), ACTIVE, [{ documentId: 'd' }])).toEqual([0]);
    });
  });
}

function chunkOf({ documentId, subjectKey }: DocumentName, cosine = 0.5, labels: object = {}): Given {
  return {
    content: `word ${v7()}`,
    metadata: { documentId, chunkIndex: 0, chunkTotal: 1, ...labels },
    embedding: atCosine(cosine),
    ...(subjectKey !== undefined && { subjectKey }),
  };
}
