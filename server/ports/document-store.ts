import type { DocumentName, StoredChunk } from '../domain/documents/document.js';
import type { SubjectKey } from '../domain/memory/memory.js';

/** Reads committed active memories that are chunks of documents. */
export interface DocumentStore {
  /**
   * Returns chunks, sorted by subject key and then documentId, both compared as UTF-8, and then by id. The chunks of
   * one document are therefore adjacent.
   */
  chunks(organizationId: string, query: ChunkQuery, signal?: AbortSignal): Promise<StoredChunk[]>;

  /** Returns at most `limit` subjects that have a document of this id; undefined for one without a subject. */
  subjectsOf(organizationId: string, documentId: string, limit: number): Promise<(SubjectKey | undefined)[]>;

  /** Returns contents by the ids of their memories. Ids of memories that are not active are omitted. */
  contents(organizationId: string, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>>;
}

export interface ChunkQuery {
  /** Selects the chunks about one subject, or about none if it is undefined; with a `documentId`, of one document. */
  of?: { subjectKey?: SubjectKey | undefined; documentId?: string };
  /** Exclusive. */
  after?: ChunkPosition;
  limit: number;
}

/** Position in the order of `chunks`. Without an id, it is the end of the document. */
export interface ChunkPosition extends DocumentName {
  id?: string;
}
