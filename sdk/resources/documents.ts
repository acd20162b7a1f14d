import { deleteDocument, getDocument, listDocuments } from '../generated/sdk.gen.js';
import type { DeletedDocument, Document, DocumentSummary, DocumentsPage, SubjectKey } from '../generated/types.gen.js';
import type { CallOptions, DocumentQuery, DocumentsQuery } from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import { segmentOf, type Transport } from '../transport/transport.js';

/** Documents: memories that share the metadata key `documentId` and the subject key. */
export class DocumentsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists all documents, by subject key and id.
   *
   * @example for await (const { documentId } of client.documents.list()) console.log(documentId);
   */
  list(query: DocumentsQuery = {}, options: CallOptions = {}): PagedCall<DocumentsPage, DocumentSummary> {
    return this.#transport.list(
      byNextCursor(({ documents }: DocumentsPage) => documents),
      query,
      (page) =>
        this.#transport.call('listDocuments', options, (attempt) =>
          listDocuments({ ...attempt, query: withText(page) }),
        ),
    );
  }

  /**
   * Returns a document with its chunks joined. If the response has `nextChunk`, pass it as `from` to get the rest.
   *
   * @throws {NotFoundError}
   * @example const { content, nextChunk } = await client.documents.get('handbook');
   */
  get(documentId: string, query: DocumentQuery = {}, options: CallOptions = {}): ApiCall<Document> {
    return this.#transport.call('getDocument', options, (attempt) =>
      getDocument({ ...attempt, path: { documentId: segmentOf(documentId) }, query: withText(query) }),
    );
  }

  /**
   * Soft-deletes the memories of a document, at most 5,000 a call. Repeat the call until `remaining` is 0.
   *
   * @throws {NotFoundError}
   * @example const { remaining } = await client.documents.delete('handbook');
   */
  delete(
    documentId: string,
    query: Pick<DocumentQuery, 'subjectKey'> = {},
    options: CallOptions = {},
  ): ApiCall<DeletedDocument> {
    return this.#transport.call('deleteDocument', options, (attempt) =>
      deleteDocument({ ...attempt, path: { documentId: segmentOf(documentId) }, query: withText(query) }),
    );
  }
}

/** Converts a subject key to text, since a query string has no types. */
function withText<Query extends { subjectKey?: SubjectKey | undefined }>({ subjectKey, ...rest }: Query) {
  return { ...rest, ...(subjectKey !== undefined && { subjectKey: `${subjectKey}` }) };
}
