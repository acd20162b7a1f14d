import type { Deps } from '../deps.js';
import type { Caller } from '../domain/account/caller.js';
import type { DocumentSummary } from '../domain/documents/document.js';
import { formatDocumentCursor, parseDocumentCursor } from '../domain/documents/document-cursor.js';
import type { SubjectKey } from '../domain/memory/memory.js';
import { coerceSubjectKey } from '../domain/memory/subject-key.js';
import { formatTimestamp } from '../domain/timestamp.js';
import type { Route } from '../http/contract/route.js';
import type * as wire from '../http/contract/wire.js';
import type {
  DeleteDocumentData,
  DeleteDocumentResponses,
  GetDocumentData,
  GetDocumentResponses,
  ListDocumentsData,
  ListDocumentsResponses,
} from '../http/contract/wire.js';
import { presentScope } from '../http/response/present.js';
import { readSettings } from '../services/organization/settings.js';
import * as documents from '../services/reading/documents.js';

export const listDocuments: Route<ListDocumentsData, ListDocumentsResponses, 'limit'> = async (
  { caller, query: { limit, cursor, subjectKey } },
  deps,
) => {
  const { documents: page, next } = await documents.listDocuments(deps, caller, {
    limit,
    subjectKey: await readSubjectKey(deps, caller, subjectKey),
    after: cursor === undefined ? undefined : parseDocumentCursor(cursor),
  });
  return {
    status: 200,
    body: {
      documents: page.map(presentSummary),
      meta: { count: page.length, hasMore: next !== undefined },
      ...(next && { nextCursor: formatDocumentCursor(next) }),
    },
  };
};

export const getDocument: Route<GetDocumentData, GetDocumentResponses, 'from'> = async (
  { caller, path: { documentId }, query },
  deps,
) => {
  const name = { documentId, subjectKey: await readSubjectKey(deps, caller, query.subjectKey) };
  const document = await documents.readDocument(deps, caller, name, query.from);
  const { content, memoryIds, nextChunk } = document;
  return {
    status: 200,
    body: { ...presentSummary(document), content, memoryIds, ...(nextChunk !== undefined && { nextChunk }) },
  };
};

export const deleteDocument: Route<DeleteDocumentData, DeleteDocumentResponses> = async (
  { caller, path: { documentId }, query },
  deps,
) => {
  const subjectKey = await readSubjectKey(deps, caller, query?.subjectKey);
  const done = await documents.deleteDocument(deps, caller, { documentId, subjectKey });
  return { status: 200, body: { documentId, ...done } };
};

async function readSubjectKey(
  deps: Pick<Deps, 'store'>,
  caller: Caller,
  text: string | undefined,
): Promise<SubjectKey | undefined> {
  if (text === undefined) return undefined;
  const { subjectKeyType } = await readSettings(deps, caller);
  return coerceSubjectKey(text, subjectKeyType, 'subjectKey');
}

function presentSummary(document: DocumentSummary): wire.DocumentSummary {
  const { documentId, subjectKey, chunkTotal, chunks, missing, gaps, memories, bytes } = document;
  const scope = presentScope(document.scope);
  return {
    documentId,
    ...(subjectKey !== undefined && { subjectKey }),
    ...(scope && { scope }),
    chunkTotal,
    chunks,
    missing,
    gaps,
    memories,
    bytes,
    createdAt: formatTimestamp(document.createdAt),
    updatedAt: formatTimestamp(document.updatedAt),
    ...(document.isTruncated && { truncated: true }),
  };
}
