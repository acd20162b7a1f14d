import type { DocumentName, StoredChunk } from '../domain/memory/document.js';
import type { SubjectKey } from '../domain/memory/memory.js';

/** Committed active memories that are chunks of documents. */
export interface DocumentStore {
  /**
   * Chunks of documents, by the text of the subject key, then the documentId, both compared as UTF-8, and then the id.
   * So the chunks of one document follow each other.
   */
  chunks(organizationId: string, query: ChunkQuery, signal?: AbortSignal): Promise<StoredChunk[]>;

  /** Subjects that have a document of this id, undefined for a document without a subject, at most `limit`. */
  subjectsOf(organizationId: string, documentId: string, limit: number): Promise<(SubjectKey | undefined)[]>;

  /** Contents by the ids of memories. Ids that name no active memory are left out. */
  contents(organizationId: string, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, string>>;
}

export interface ChunkQuery {
  /** Only chunks of documents about this subject, or without a subject; with a documentId, only those of one document. */
  of?: { subjectKey?: SubjectKey | undefined; documentId?: string };
  /** Exclusive. */
  after?: ChunkPosition;
  limit: number;
}

/** A chunk in the order of chunks; without an id, the end of a document. */
export interface ChunkPosition extends DocumentName {
  id?: string;
}
