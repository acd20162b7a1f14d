import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { StoredChunk } from '../../../domain/documents/document.js';
import type { ChunkQuery } from '../../../ports/document-store.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization, change, type Given, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests chunks of documents: their order, pages and contents. */
export function documentsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: documents`, () => {
    test('finds a chunk with its details, its length in bytes of UTF-8', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const scope = { source: 'wiki', project: 'é' };
      const [memory] = await store(tested, organizationId, {
        ...chunkOf('a:b/ü.md', 3, 7),
        content: 'two é 𝒳',
        scope,
        subjectKey: 42,
      });
      const changed = await change(tested, memory!, { metadata: { ...memory!.metadata, kind: 'note' } });

      expect(await tested.documents.chunks(organizationId, { limit: 9 })).toEqual([
        {
          id: memory!.id,
          documentId: 'a:b/ü.md',
          subjectKey: 42,
          scope,
          index: 3,
          total: 7,
          bytes: 11,
          createdAt: memory!.createdAt,
          updatedAt: changed.updatedAt,
        },
      ]);
    });

    test('finds only active memories of the organization that are chunks', async () => {
      const tested = await openEmpty();
      const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [, kept, gone, moved] = await store(
        tested,
        organizationId,
        { metadata: { kind: 'note' } },
        chunkOf('kept'),
        chunkOf('gone'),
        chunkOf('moved'),
        { metadata: { documentId: 'in part' } },
      );
      await softDelete(tested, gone!);
      await change(tested, moved!, { metadata: {} });
      await store(tested, other, chunkOf('theirs'));

      expect(await idsOf(tested, organizationId, {})).toEqual([kept!.id]);
      expect(await tested.documents.chunks(v7(), { limit: 9 })).toEqual([]);
    });

    test('orders by subject, then document as UTF-8, then id, also across pages', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const documents = ['b', 'B', 'a/1', 'a', '\u{ffff}', '\u{1f600}', `${'x'.repeat(511)}é`];
      const places = [undefined, 's', 'S', '10', '9'].flatMap((subjectKey) =>
        documents.flatMap((documentId) => [0, 1].map((index) => ({ subjectKey, ...chunkOf(documentId, index, 2) }))),
      );
      const given = places.map(({ subjectKey, ...rest }) =>
        subjectKey === undefined ? rest : { ...rest, subjectKey },
      );
      const stored = await store(tested, organizationId, ...given.toReversed());
      const expected = stored
        .map(({ id, metadata, subjectKey }) => [
          subjectKey === undefined ? '' : `s:${subjectKey}`,
          metadata.documentId,
          id,
        ])
        .sort((one, next) => compare(one.map(String), next.map(String)))
        .map(([, , id]) => id);

      const whole = await idsOf(tested, organizationId, { limit: 100 });
      const pages: string[] = [];
      for (let after: StoredChunk | undefined; ; ) {
        const page = await tested.documents.chunks(organizationId, { ...(after && { after }), limit: 3 });
        pages.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (!after) break;
      }

      expect(whole).toEqual(expected);
      expect(pages).toEqual(expected);
    });

    test('filters by subject, document and position', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [a1, a2, b, anas, anasB] = await store(
        tested,
        organizationId,
        chunkOf('a', 0, 2),
        chunkOf('a', 1, 2),
        chunkOf('b'),
        { ...chunkOf('a'), subjectKey: 'ana' },
        { ...chunkOf('b'), subjectKey: 'ana' },
      );
      const find = (query: Partial<ChunkQuery>) => idsOf(tested, organizationId, query);

      expect(await find({ of: {} })).toEqual([a1!.id, a2!.id, b!.id]);
      expect(await find({ of: { subjectKey: 'ana' } })).toEqual([anas!.id, anasB!.id]);
      expect(await find({ of: { documentId: 'a' } })).toEqual([a1!.id, a2!.id]);
      expect(await find({ of: { subjectKey: 'ana', documentId: 'b' } })).toEqual([anasB!.id]);
      expect(await find({ of: { subjectKey: 'nobody' } })).toEqual([]);
      expect(await find({ of: { documentId: 'a' }, after: { documentId: 'a', id: a1!.id } })).toEqual([a2!.id]);
      expect(await find({ after: { documentId: 'a', id: a1!.id }, limit: 2 })).toEqual([a2!.id, b!.id]);
      expect(await find({ after: { documentId: 'a' } })).toEqual([b!.id, anas!.id, anasB!.id]);
      expect(await find({ of: {}, after: { documentId: 'a' } })).toEqual([b!.id]);
      const after = { documentId: 'a', subjectKey: 'ana' };
      expect(await find({ after })).toEqual([anasB!.id]);
      expect(await find({ of: { subjectKey: 'ana' }, after })).toEqual([anasB!.id]);
    });

    test('finds the subjects of a document, also if ids are long', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const long = 'é'.repeat(512);
      const [, , gone] = await store(
        tested,
        organizationId,
        chunkOf(long),
        { ...chunkOf(long), subjectKey: 'ana' },
        { ...chunkOf(long), subjectKey: 'ben' },
        { ...chunkOf('other'), subjectKey: 'cleo' },
      );
      await softDelete(tested, gone!);
      const find = async (documentId: string, limit = 9) =>
        (await tested.documents.subjectsOf(organizationId, documentId, limit)).map((key) => key ?? 'none').sort();

      expect(await find(long)).toEqual(['ana', 'none']);
      expect(await find(long, 1)).toHaveLength(1);
      expect(await find('other')).toEqual(['cleo']);
      expect(await find('unknown')).toEqual([]);
      expect(await tested.documents.subjectsOf(await anOrganization(tested), long, 9)).toEqual([]);
    });

    test('finds contents of active memories by their ids', async () => {
      const tested = await openEmpty();
      const [organizationId, other] = [await anOrganization(tested), await anOrganization(tested)];
      const [one, gone] = await store(tested, organizationId, { content: 'one' }, { content: 'gone' });
      const [theirs] = await store(tested, other, { content: 'theirs' });
      await softDelete(tested, gone!);

      const found = await tested.documents.contents(organizationId, [gone!.id, one!.id, theirs!.id, 'no uuid']);

      expect([...found]).toEqual([[one!.id, 'one']]);
      expect(await tested.documents.contents(organizationId, [])).toEqual(new Map());
    });
  });
}

function chunkOf(documentId: string, chunkIndex = 0, chunkTotal = 1): Given {
  return { metadata: { documentId, chunkIndex, chunkTotal } };
}

async function idsOf(tested: Store, organizationId: string, query: Partial<ChunkQuery>): Promise<string[]> {
  const chunks = await tested.documents.chunks(organizationId, { limit: 9, ...query });
  return chunks.map(({ id }) => id);
}

/** Compares lists of strings by their UTF-8 bytes. */
function compare(one: readonly string[], other: readonly string[]): number {
  const orders = one.map((text, index) => Buffer.compare(Buffer.from(text), Buffer.from(other[index] ?? '')));
  return orders.find((order) => order !== 0) ?? 0;
}
