import type { DeletedDocument, Document, DocumentsPage } from '@memory-service/sdk';
import { describe, expect, test } from 'vitest';
import { PAGE_BYTES } from '../../domain/fairness/bounds.js';
import type { Answer } from '../../testing/app/http-client.js';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

interface ChunkInput {
  chunkIndex?: number;
  chunkTotal?: number;
  content?: string;
  metadata?: Record<string, unknown>;
  [field: string]: unknown;
}

async function store(
  app: TestApp,
  documentId: string,
  { chunkIndex = 0, chunkTotal = 1, content = `${documentId} ${chunkIndex}`, metadata, ...rest }: ChunkInput = {},
): Promise<string> {
  const body = { content, metadata: { ...metadata, documentId, chunkIndex, chunkTotal }, ...rest };
  const answer = await app.send('POST', '/api/memories', body);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.id);
}

async function list(app: TestApp, query = ''): Promise<DocumentsPage> {
  const { status, body, text } = await app.send('GET', `/api/documents${query}`);
  expect(status, text).toBe(200);
  return body as unknown as DocumentsPage;
}

async function read(app: TestApp, documentId: string, query = ''): Promise<Document> {
  const { status, body, text } = await app.send('GET', pathOf(documentId, query));
  expect(status, text).toBe(200);
  return body as unknown as Document;
}

function pathOf(documentId: string, query = ''): string {
  return `/api/documents/${encodeURIComponent(documentId)}${query}`;
}

async function withSubjects(): Promise<TestApp> {
  const app = await testApp();
  await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'integer' });
  return app;
}

const NOT_FOUND = { status: 404, body: { error: 'Not found' } };

describe('listDocuments', () => {
  test('answers the known details of each document, by its id', async () => {
    const app = await testApp();
    await store(app, 'b', { chunkIndex: 1, chunkTotal: 5, content: 'é' });
    await store(app, 'b', { chunkIndex: 4, chunkTotal: 5, content: 'abc', metadata: { project: 'p', source: 's' } });
    await store(app, 'a/1');
    await app.send('POST', '/api/memories', { content: 'no chunk' });

    const { documents, meta, nextCursor } = await list(app);

    expect(documents).toMatchObject([
      { documentId: 'a/1', chunkTotal: 1, chunks: 1, missing: 0, gaps: [], memories: 1, bytes: 5 },
      {
        documentId: 'b',
        chunkTotal: 5,
        chunks: 2,
        missing: 3,
        gaps: [
          { first: 0, last: 0 },
          { first: 2, last: 3 },
        ],
        memories: 2,
        bytes: 5,
      },
    ]);
    expect(meta).toEqual({ count: 2, hasMore: false });
    expect(nextCursor).toBeUndefined();
  });

  test('returns each document once across pages', async () => {
    const app = await withSubjects();
    for (const name of ['c', 'a', 'b']) await store(app, name);
    for (const subjectKey of [7, 42]) await store(app, 'a', { subjectKey });

    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(app, `?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.documents.map(({ documentId, subjectKey }) => [documentId, subjectKey]));
      cursor = page.nextCursor;
      expect(page.meta.hasMore).toBe(cursor !== undefined);
    } while (cursor !== undefined);

    expect(seen).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', undefined],
      ['a', 42],
      ['a', 7],
    ]);
    const about = await list(app, '?subjectKey=42');
    expect(about.documents.map(({ subjectKey }) => subjectKey)).toEqual([42]);
  });

  test('rejects a cursor that no page returned, and a subject key of the wrong type', async () => {
    const app = await withSubjects();
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

    for (const cursor of [
      'x',
      encoded({}),
      encoded(['']),
      encoded(['i:x', 'a']),
      encoded(['', 1]),
      `${encoded(['', 'a'])}x`,
    ]) {
      const answer = await app.send('GET', `/api/documents?cursor=${cursor}`);
      expect(answer, cursor).toMatchObject({ status: 422, body: { details: [{ path: 'cursor' }] } });
    }
    const answer = await app.send('GET', '/api/documents?subjectKey=ana');
    expect(answer).toMatchObject({ status: 422, body: { code: 'subject_key_invalid' } });
  });

  test('counts one search, as reading a document does, and none if there is no such document', async () => {
    const app = await testApp();
    await store(app, 'a');
    const month = new Date().toISOString().slice(0, 7);
    const searches = async () => (await app.deps.store.usage.read(app.organizationId, month)).search;

    await list(app);
    expect(await searches()).toBe(1);
    await read(app, 'a');
    expect(await searches()).toBe(2);
    await app.send('GET', pathOf('b'));
    expect(await searches()).toBe(2);
  });
});

describe('getDocument', () => {
  test('joins the chunks in order, marks gaps, and lists the memories', async () => {
    const app = await testApp();
    const last = await store(app, 'docs/a b.md', { chunkIndex: 3, chunkTotal: 5, content: 'three' });
    const first = await store(app, 'docs/a b.md', { chunkIndex: 0, chunkTotal: 5, content: 'zero' });

    const document = await read(app, 'docs/a b.md');

    expect(document).toMatchObject({ documentId: 'docs/a b.md', chunkTotal: 5, missing: 3, memoryIds: [first, last] });
    expect(document.content).toBe(
      'zero\n[chunks 1 to 2 are missing: chunks are counted from 0 and there are 5]\n' +
        'three\n[chunk 4 is missing: chunks are counted from 0 and there are 5]\n',
    );
    expect(document.nextChunk).toBeUndefined();
  });

  test('uses the latest change if memories disagree, and ignores the extra chunks of an earlier version', async () => {
    const app = await testApp();
    await store(app, 'd', { chunkIndex: 2, chunkTotal: 3, content: 'old end' });
    await store(app, 'd', { chunkIndex: 0, chunkTotal: 3, content: 'old' });
    const id = await store(app, 'd', { chunkIndex: 0, chunkTotal: 1, content: 'new' });

    expect(await read(app, 'd')).toMatchObject({
      content: 'new',
      memoryIds: [id],
      chunkTotal: 1,
      memories: 3,
      bytes: 3,
    });
  });

  test('splits a long document into parts of whole chunks and the gaps between them', async () => {
    const app = await testApp({ limits: { contentLength: PAGE_BYTES } });
    const [first, second] = ['a'.repeat(PAGE_BYTES / 2 + 1), 'b'.repeat(PAGE_BYTES / 2 + 1)];
    await store(app, 'd', { chunkIndex: 0, chunkTotal: 4, content: first });
    await store(app, 'd', { chunkIndex: 2, chunkTotal: 4, content: second });

    const part = await read(app, 'd');
    const rest = await read(app, 'd', `?from=${part.nextChunk}`);
    const beyond = await read(app, 'd', '?from=9');

    expect([part.content, part.nextChunk]).toEqual([first, 1]);
    expect(rest.content).toMatch(/^\n\[chunk 1 is missing.*\]\nb+\n\[chunk 3 is missing.*\]\n$/);
    expect(rest.nextChunk).toBeUndefined();
    expect([beyond.content, beyond.memoryIds, beyond.nextChunk]).toEqual(['', [], undefined]);
  });

  test('splits a document into parts of a thousand chunks', async () => {
    const app = await testApp();
    const chunks = Array.from({ length: 1_001 }, (_, chunkIndex) => ({
      content: `<${chunkIndex}>`,
      metadata: { documentId: 'd', chunkIndex, chunkTotal: 1_001 },
    }));
    for (let from = 0; from < chunks.length; from += 50) {
      await app.send('POST', '/api/memories/batch', { items: chunks.slice(from, from + 50) });
    }

    const part = await read(app, 'd');
    const rest = await read(app, 'd', `?from=${part.nextChunk}`);

    expect(part.nextChunk).toBe(1_000);
    expect(part.content + rest.content).toBe(chunks.map(({ content }) => content).join(''));
    expect((await list(app)).documents).toMatchObject([{ chunks: 1_001, missing: 0 }]);
  });

  test('lists at most a hundred gaps, and claiming very many chunks costs nothing', async () => {
    const app = await testApp();
    const chunkTotal = Number.MAX_SAFE_INTEGER;
    for (let index = 0; index < 102; index += 1) await store(app, 'd', { chunkIndex: 2 * index, chunkTotal });

    const { gaps, missing } = await read(app, 'd');

    expect(gaps).toHaveLength(100);
    expect(gaps[99]).toEqual({ first: 199, last: 199 });
    expect(missing).toBe(chunkTotal - 102);
  });

  test('returns the document without a subject, or the only one, if no subject is given', async () => {
    const app = await withSubjects();
    await store(app, 'only', { subjectKey: 7, content: 'of 7' });
    for (const subjectKey of [7, 42]) await store(app, 'shared', { subjectKey, content: `of ${subjectKey}` });

    expect(await read(app, 'only')).toMatchObject({ subjectKey: 7, content: 'of 7' });
    expect(await read(app, 'shared', '?subjectKey=42')).toMatchObject({ subjectKey: 42, content: 'of 42' });
    const several = await app.send('GET', pathOf('shared'));
    expect(several).toMatchObject({ status: 422, body: { details: [{ path: 'subjectKey' }] } });
    expect(await app.send('GET', pathOf('only', '?subjectKey=42'))).toMatchObject(NOT_FOUND);
    await store(app, 'shared', { content: 'of nobody' });
    expect((await read(app, 'shared')).content).toBe('of nobody');
  });

  test('returns nothing of another organization, and nothing deleted', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const id = await store(app, 'd');
    const theirs = { authorization: `Bearer ${other.token}` };
    const asOther = (method: string) => app.send(method, pathOf('d'), undefined, theirs);

    expect([await asOther('GET'), await asOther('DELETE')]).toMatchObject([NOT_FOUND, NOT_FOUND]);
    expect((await read(app, 'd')).memoryIds).toEqual([id]);
    await app.send('DELETE', `/api/memories/${id}`);
    expect(await app.send('GET', pathOf('d'))).toMatchObject(NOT_FOUND);
  });
});

describe('deleteDocument', () => {
  test('soft-deletes all memories of the document and no others, audited together', async () => {
    const app = await withSubjects();
    const gone = [
      await store(app, 'd', { chunkIndex: 5, chunkTotal: 6, content: 'of an earlier version' }),
      await store(app, 'd', { chunkIndex: 0, chunkTotal: 1 }),
    ];
    const kept = [await store(app, 'd', { subjectKey: 7 }), await store(app, 'e')];

    const answer = await app.send('DELETE', pathOf('d'));

    expect(answer.status).toBe(200);
    const done = answer.body as unknown as DeletedDocument;
    expect(done).toEqual({ documentId: 'd', deleted: 2, remaining: 0 });
    const { body } = await app.send('GET', '/api/memories/recent');
    expect((body.results as { id: string }[]).map(({ id }) => id)).toEqual(kept.toReversed());
    const events = await auditOf(app);
    expect(events.map(({ memoryId }) => memoryId).sort()).toEqual(gone.sort());
    expect(new Set(events.map(({ batchId }) => batchId)).size).toBe(1);
    expect((await app.send('POST', `/api/memories/${gone[0]}/restore`)).status).toBe(200);
  });

  test('deletes the only document with its id, and none if there are several', async () => {
    const app = await withSubjects();
    await store(app, 'only', { subjectKey: 7 });
    for (const subjectKey of [7, 42]) await store(app, 'shared', { subjectKey });

    expect(await app.send('DELETE', pathOf('only'))).toMatchObject({ status: 200, body: { deleted: 1 } });
    expect(await app.send('DELETE', pathOf('only'))).toMatchObject(NOT_FOUND);
    expect((await app.send('DELETE', pathOf('shared'))).status).toBe(422);
    expect(await app.send('DELETE', pathOf('shared', '?subjectKey=7'))).toMatchObject({ body: { deleted: 1 } });
    expect((await list(app)).documents).toMatchObject([{ documentId: 'shared', subjectKey: 42 }]);
  });
});

async function auditOf(app: TestApp): Promise<{ memoryId: string; batchId: string }[]> {
  const { body }: Answer = await app.send('GET', '/api/organization/audit-events?action=memory.delete');
  return body.auditEvents as { memoryId: string; batchId: string }[];
}
