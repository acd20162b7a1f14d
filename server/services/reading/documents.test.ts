import { expect, test } from 'vitest';
import type { StoredChunk } from '../../domain/documents/document.js';
import type { ChunkQuery } from '../../ports/document-store.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { listDocuments } from './documents.js';

/** Returns a world with documents of the given numbers of chunks, in the order of their names. */
async function worldOf(sizes: Readonly<Record<string, number>>) {
  const { deps, caller } = await testWorld();
  const all = Object.entries(sizes).flatMap(([documentId, total]) =>
    Array.from({ length: total }, (_, index): StoredChunk => {
      const id = String(index).padStart(6, '0');
      const scope = { source: '', project: '' };
      return { id, documentId, scope, index, total, bytes: 1, createdAt: 1, updatedAt: index };
    }),
  );
  const queries: ChunkQuery[] = [];
  const chunks = async (_: string, query: ChunkQuery) => {
    queries.push(query);
    const { documentId = '', id = '~' } = query.after ?? {};
    const from = all.findIndex(
      (each) => each.documentId > documentId || (each.documentId === documentId && each.id > id),
    );
    return from < 0 ? [] : all.slice(from, from + query.limit);
  };
  const store = replaceMethods(deps.store, { documents: replaceMethods(deps.store.documents, { chunks }) });
  return { deps: { ...deps, store }, caller, queries };
}

test('a page of documents ends when it has read 20,000 chunks, and the next page continues', async () => {
  const { deps, caller } = await worldOf({ a: 10_000, b: 10_500, c: 1, d: 1 });

  const first = await listDocuments(deps, caller, { limit: 9 });
  const second = await listDocuments(deps, caller, { limit: 9, after: first.next });

  expect(first.documents.map(({ documentId, chunks }) => [documentId, chunks])).toEqual([
    ['a', 10_000],
    ['b', 10_500],
  ]);
  expect(first.next).toEqual({ documentId: 'b' });
  expect(second).toMatchObject({ documents: [{ documentId: 'c' }, { documentId: 'd' }] });
  expect(second.next).toBeUndefined();
});

test('a document has at most its first 100,000 memories', async () => {
  const { deps, caller, queries } = await worldOf({ a: 150_000, b: 1 });

  const { documents } = await listDocuments(deps, caller, { limit: 1 });

  expect(documents).toMatchObject([{ documentId: 'a', memories: 100_000, isTruncated: true }]);
  expect(queries).toHaveLength(102);
  expect(queries.at(-1)?.after).toEqual({ documentId: 'a' });
});
