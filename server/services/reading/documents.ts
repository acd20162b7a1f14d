import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import {
  chunksInOrder,
  type DocumentName,
  type DocumentSummary,
  isOfDocument,
  type JoinedChunks,
  joinChunks,
  type StoredChunk,
  summarize,
} from '../../domain/documents/document.js';
import { PAGE_BYTES } from '../../domain/fairness/bounds.js';
import { subjectText } from '../../domain/filter/memory-facets.js';
import { invalid } from '../../domain/invalid.js';
import type { SubjectKey } from '../../domain/memory/memory.js';
import { countWithin } from '../../domain/memory/page-bytes.js';
import { NotFoundError } from '../../errors.js';
import type { ChunkQuery } from '../../ports/document-store.js';
import { meteredRead } from '../billing/metered-read.js';
import { type ExpireDeps, expireDue } from '../memories/expire.js';
import { deleteAll, MAX_DELETED } from '../removal/delete-many.js';

type ReadDeps = ExpireDeps & Pick<Deps, 'billing'>;

/** Chunks of one read from the store. */
const CHUNKS_PER_READ = 1_000;
/** A page of documents ends after the document with which it has read this many chunks. */
const MAX_CHUNKS_PER_PAGE = 20_000;
/** Memories of one document that are read. Further ones are ignored. */
const MAX_MEMORIES = 100_000;
/** Chunks in one page of a document's content. */
const MAX_CHUNKS_PER_PART = 1_000;

export interface DocumentsPage {
  documents: DocumentSummary[];
  /** The last document of the page. Undefined on the last page. */
  next?: DocumentName;
}

export interface DocumentsQuery {
  /** Restricts the list to documents about this subject. */
  subjectKey?: SubjectKey | undefined;
  /** Exclusive: the last document of the page before. */
  after?: DocumentName | undefined;
  limit: number;
}

/** A document without its content. */
interface Found {
  name: DocumentName;
  memories: StoredChunk[];
  isTruncated: boolean;
}

/**
 * Returns a page of documents. It has fewer than `limit` if they have many chunks.
 *
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 */
export async function listDocuments(deps: ReadDeps, caller: Caller, query: DocumentsQuery): Promise<DocumentsPage> {
  await expireDue(deps, caller);
  return meteredRead(deps, caller, async () => {
    const { subjectKey, limit } = query;
    const of = subjectKey === undefined ? undefined : { subjectKey };
    const documents: DocumentSummary[] = [];
    let [after, read] = [query.after, 0];
    for await (const { name, memories, isTruncated } of documentsIn(deps, caller, { of, after })) {
      if (documents.length === limit || read >= MAX_CHUNKS_PER_PAGE)
        return { documents, ...(after && { next: after }) };
      documents.push(summarize(memories, isTruncated));
      read += memories.length;
      after = name;
    }
    return { documents };
  });
}

/**
 * Returns the joined content of a document's chunks, starting at `from`, at most `PAGE_BYTES`.
 *
 * @throws {NotFoundError} if no active memory is a chunk of it
 * @throws {UnprocessableError} if several subjects have a document with this id, and the request names none
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 */
export async function readDocument(
  deps: ReadDeps,
  caller: Caller,
  name: DocumentName,
  from: number,
): Promise<DocumentSummary & JoinedChunks> {
  await expireDue(deps, caller);
  return meteredRead(deps, caller, async () => {
    const { memories, isTruncated } = await findDocument(deps, caller, name);
    const { newest, chunks } = chunksInOrder(memories);
    const ahead = chunks.filter(({ index }) => index >= from);
    const part = ahead.slice(
      0,
      Math.min(
        MAX_CHUNKS_PER_PART,
        countWithin(ahead, PAGE_BYTES, ({ bytes }) => bytes),
      ),
    );
    const ids = part.map(({ id }) => id);
    const contents = await deps.store.documents.contents(caller.organizationId, ids, caller.gone?.signal);
    const total = newest.total;
    const to = part.length < ahead.length ? (part.at(-1)?.index ?? 0) + 1 : total;
    return { ...summarize(memories, isTruncated), ...joinChunks(part, contents, { from, to, total }) };
  });
}

/**
 * Soft-deletes the memories of a document, at most `MAX_DELETED`, in several units of work.
 *
 * @throws {NotFoundError} if no active memory is a chunk of it
 * @throws {UnprocessableError} if several subjects have a document with this id, and the request names none
 */
export async function deleteDocument(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  wanted: DocumentName,
): Promise<{ deleted: number; remaining: number }> {
  await expireDue(deps, caller);
  const { name, memories } = await findDocument(deps, caller, wanted);
  const ids = memories.map(({ id }) => id);
  const some = ids.slice(0, MAX_DELETED);
  const deleted = await deleteAll(deps, caller, some, (memory) => isOfDocument(memory, name));
  return { deleted: deleted.length, remaining: ids.length - some.length };
}

/** Returns the document without a subject, or else the only one with this id. */
async function findDocument(deps: Pick<Deps, 'store'>, caller: Caller, name: DocumentName): Promise<Found> {
  const found = await firstDocument(deps, caller, name);
  if (found) return found;
  const { documentId, subjectKey } = name;
  const subjects =
    subjectKey === undefined ? await deps.store.documents.subjectsOf(caller.organizationId, documentId, 2) : [];
  if (subjects.length > 1) throw invalid('subjectKey', 'is required: several subjects have a document with this id');
  const only =
    subjects[0] === undefined ? undefined : await firstDocument(deps, caller, { documentId, subjectKey: subjects[0] });
  if (!only) throw new NotFoundError();
  return only;
}

async function firstDocument(deps: Pick<Deps, 'store'>, caller: Caller, of: DocumentName): Promise<Found | undefined> {
  for await (const found of documentsIn(deps, caller, { of })) return found;
  return undefined;
}

/** Yields the documents of a range, in order. */
async function* documentsIn(
  { store }: Pick<Deps, 'store'>,
  caller: Caller,
  range: { of?: ChunkQuery['of']; after?: DocumentName | undefined },
): AsyncGenerator<Found> {
  const { of } = range;
  let after: ChunkQuery['after'] = range.after;
  let open: Found | undefined;
  for (let isLast = false; !isLast; ) {
    const query = { ...(of && { of }), ...(after && { after }), limit: CHUNKS_PER_READ };
    const chunks = await store.documents.chunks(caller.organizationId, query, caller.gone?.signal);
    isLast = chunks.length < CHUNKS_PER_READ;
    after = chunks.at(-1);
    for (const chunk of chunks) {
      if (open && !isSame(open.name, chunk)) {
        yield open;
        open = undefined;
      }
      open ??= { name: nameOf(chunk), memories: [], isTruncated: false };
      if (open.memories.length < MAX_MEMORIES) open.memories.push(chunk);
      else open.isTruncated = true;
    }
    // The rest of a document that is too long is skipped.
    if (open?.isTruncated) after = open.name;
  }
  if (open) yield open;
}

function isSame(one: DocumentName, other: DocumentName): boolean {
  return one.documentId === other.documentId && subjectText(one.subjectKey) === subjectText(other.subjectKey);
}

function nameOf({ documentId, subjectKey }: StoredChunk): DocumentName {
  return { documentId, ...(subjectKey !== undefined && { subjectKey }) };
}
