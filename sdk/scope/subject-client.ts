import type { MemoryClient } from '../client.js';
import type { DeletedDocument, Document, DocumentSummary, DocumentsPage, SubjectKey } from '../generated/types.gen.js';
import type { CallOptions, DocumentQuery, PageQuery } from '../options.js';
import type { ApiCall, PagedCall } from '../transport/calls.js';
import { ScopedClient } from './scoped-client.js';

/** A client that only reaches the memories and documents about one subject. */
export class SubjectClient<const Key extends SubjectKey = SubjectKey> extends ScopedClient<{ subjectKey: Key }> {
  readonly documents: SubjectDocuments;

  /** @throws {ScopeError} if the subject key is missing */
  constructor(client: MemoryClient, subjectKey: Key) {
    super(client, { subjectKey });
    this.documents = new SubjectDocuments(client, subjectKey);
  }
}

/** The documents about one subject. */
export class SubjectDocuments {
  readonly #client: MemoryClient;
  readonly #subjectKey: SubjectKey;

  constructor(client: MemoryClient, subjectKey: SubjectKey) {
    this.#client = client;
    this.#subjectKey = subjectKey;
  }

  /**
   * Lists the documents by id.
   *
   * @example for await (const { documentId } of user.documents.list()) console.log(documentId);
   */
  list(query: PageQuery = {}, options?: CallOptions): PagedCall<DocumentsPage, DocumentSummary> {
    return this.#client.documents.list({ ...query, subjectKey: this.#subjectKey }, options);
  }

  /**
   * Returns a document with its chunks joined. If the response has `nextChunk`, pass it as `from` to get the rest.
   *
   * @throws {NotFoundError}
   * @example const { content } = await user.documents.get('handbook');
   */
  get(documentId: string, query: Pick<DocumentQuery, 'from'> = {}, options?: CallOptions): ApiCall<Document> {
    return this.#client.documents.get(documentId, { ...query, subjectKey: this.#subjectKey }, options);
  }

  /**
   * Soft-deletes the memories of a document, at most 5,000 a call. Repeat the call until `remaining` is 0.
   *
   * @throws {NotFoundError}
   * @example await user.documents.delete('handbook');
   */
  delete(documentId: string, options?: CallOptions): ApiCall<DeletedDocument> {
    return this.#client.documents.delete(documentId, { subjectKey: this.#subjectKey }, options);
  }
}
