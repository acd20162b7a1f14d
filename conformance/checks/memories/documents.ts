import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { Sending } from '../../transport/request.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const NOT_FOUND = { error: 'Not found' };

interface Listed {
  documentId: string;
}

/** Stores the chunks at some places of a document, and returns the ids of their memories. */
async function storeChunks(
  target: Target,
  documentId: string,
  chunks: readonly [chunkIndex: number, content: string][],
  { total = 3, ...sending }: Sending & { total?: number } = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (const [chunkIndex, content] of chunks) {
    const metadata = { documentId, chunkIndex, chunkTotal: total };
    ids.push((await target.stored({ content, metadata }, sending)).id);
  }
  return ids;
}

function send(target: Target, method: 'GET' | 'DELETE', documentId: string, query = {}): Promise<Answer> {
  return target.send(method, `/api/documents/${encodeURIComponent(documentId)}`, undefined, { query });
}

function list(target: Target, query: Record<string, unknown>): Promise<Answer> {
  return target.send('GET', '/api/documents', undefined, { query });
}

/** Reads the list of documents up to the given one. */
async function find(target: Target, documentId: string): Promise<unknown> {
  const { maximum: limit } = target.contract.limitOf('listDocuments');
  for (let cursor: unknown; ; ) {
    const { body } = await list(target, { limit, ...(cursor !== undefined && { cursor }) });
    const found = (body.documents as Listed[]).find((document) => document.documentId === documentId);
    if (found || body.nextCursor === undefined) return found;
    cursor = body.nextCursor;
  }
}

/** Documents: memories that share documentId. */
export const documentChecks = defineChecks('2.2', [
  {
    id: 'documents-listed',
    level: 'should',
    requirement: 'A document is listed with its chunks, its gaps and its bytes.',
    async run(target) {
      const documentId = target.word();
      await storeChunks(target, documentId, [
        [0, 'é'],
        [2, 'abc'],
      ]);

      expect(await find(target, documentId)).toMatchObject({
        documentId,
        chunkTotal: 3,
        chunks: 2,
        missing: 1,
        gaps: [{ first: 1, last: 1 }],
        memories: 2,
        bytes: 5,
      });
    },
  },
  {
    id: 'documents-pages',
    level: 'should',
    requirement: 'The cursor of a page gives the documents after it.',
    async run(target) {
      for (let n = 0; n < 3; n += 1) await storeChunks(target, target.word(), [[0, target.word()]]);

      const first = await list(target, { limit: 1 });
      const second = await list(target, { limit: 1, cursor: first.body.nextCursor });

      const ids = [first, second].map(({ body }) => (body.documents as Listed[]).map(({ documentId }) => documentId));
      expect(ids[0]).toHaveLength(1);
      expect(ids[1]).toHaveLength(1);
      expect(ids[1]).not.toEqual(ids[0]);
    },
  },
  {
    id: 'documents-wrong-cursor-422',
    level: 'should',
    requirement: 'An invalid cursor is rejected with 422.',
    async run(target) {
      expectRefusal(await list(target, { cursor: 'x' }), 422);
    },
  },
  {
    id: 'document-joined',
    level: 'should',
    requirement: 'A document is read joined in the order of its chunks, whatever its name is.',
    async run(target) {
      const documentId = `${target.word()}/a b?.md`;
      const [second, first] = await storeChunks(
        target,
        documentId,
        [
          [1, 'second.'],
          [0, 'First, '],
        ],
        { total: 2 },
      );

      const answer = await send(target, 'GET', documentId);

      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ documentId, content: 'First, second.', memoryIds: [first, second] });
    },
  },
  {
    id: 'document-gap-marked',
    level: 'should',
    requirement: 'Missing chunks are marked in the content.',
    async run(target) {
      const documentId = target.word();
      await storeChunks(target, documentId, [
        [0, 'before'],
        [2, 'after'],
      ]);

      expect((await send(target, 'GET', documentId)).body.content).toMatch(/^before\n\[chunk 1 .*\]\nafter$/);
    },
  },
  {
    id: 'document-newest-chunk',
    level: 'should',
    requirement: 'If several memories hold one chunk, the one that changed last is read.',
    async run(target) {
      const documentId = target.word();
      await storeChunks(target, documentId, [[0, target.unique('old')]]);
      await storeChunks(target, documentId, [[0, 'new']], { total: 1 });

      expect((await send(target, 'GET', documentId)).body).toMatchObject({ content: 'new', memories: 2, chunks: 1 });
    },
  },
  {
    id: 'document-from',
    level: 'should',
    requirement: 'A document is read from the given chunk on.',
    async run(target) {
      const documentId = target.word();
      await storeChunks(
        target,
        documentId,
        [
          [0, 'first'],
          [1, 'second'],
        ],
        { total: 2 },
      );

      expect((await send(target, 'GET', documentId, { from: 1 })).body.content).toBe('second');
    },
  },
  {
    id: 'document-deleted',
    level: 'should',
    requirement: 'Deleting a document soft-deletes all its memories and no other, and says how many.',
    async run(target) {
      const [documentId, other] = [target.word(), target.word()];
      const [gone] = await storeChunks(target, documentId, [
        [0, target.word()],
        [2, target.word()],
      ]);
      const [kept] = await storeChunks(target, other, [[0, target.word()]]);

      const answer = await send(target, 'DELETE', documentId);

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ documentId, deleted: 2, remaining: 0 });
      expectRefusal(await send(target, 'GET', documentId), 404);
      expect((await target.get(String(gone), { includeDeleted: true })).body.deletedAt).toEqual(expect.any(String));
      expect((await target.get(String(kept))).status).toBe(200);
    },
  },
  {
    id: 'document-unknown-404',
    level: 'should',
    requirement: 'An unknown document gets 404 and exactly the error Not found.',
    async run(target) {
      for (const method of ['GET', 'DELETE'] as const) {
        const answer = await send(target, method, target.word());
        expectRefusal(answer, 404);
        expect(answer.body).toEqual(NOT_FOUND);
      }
    },
  },
  {
    id: 'document-foreign-404',
    level: 'should',
    requirement: 'A document of another organization is answered like an unknown one.',
    needs: ['second-organization'],
    async run(target) {
      const documentId = target.word();
      await storeChunks(target, documentId, [[0, target.word()]], { token: target.secondToken });

      for (const method of ['GET', 'DELETE'] as const) {
        const answer = await send(target, method, documentId);
        expectRefusal(answer, 404);
        expect(answer.body).toEqual(NOT_FOUND);
      }
    },
  },
]);
