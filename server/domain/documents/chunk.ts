import { invalid } from '../invalid.js';
import type { Memory, Metadata, SubjectKey } from '../memory/memory.js';
import { countCodePoints } from '../text/unicode.js';

const MAX_DOCUMENT_ID_CODE_POINTS = 512;
const KEYS = ['documentId', 'chunkIndex', 'chunkTotal'] as const;

interface Chunk {
  documentId: string;
  chunkIndex: number;
  chunkTotal: number;
}

/** Subject and chunk of a memory. Memories of different places may have equal contents. */
export interface Place {
  subjectKey?: SubjectKey | undefined;
  /** `chunkIdentity` of the metadata. */
  chunk?: string | undefined;
}

export function placeOf({ subjectKey, metadata }: Pick<Memory, 'subjectKey' | 'metadata'>): Place {
  return { subjectKey, chunk: chunkIdentity(metadata) };
}

/**
 * Rejects metadata in which the keys of a chunk are incomplete or invalid.
 *
 * @throws {UnprocessableError} at the invalid key
 */
export function assertChunk(metadata: Metadata): void {
  const missing = KEYS.filter((key) => !Object.hasOwn(metadata, key));
  if (missing.length === KEYS.length) return;
  if (missing[0] !== undefined) throw invalid(`metadata.${missing[0]}`, `is required: ${KEYS.join(', ')} go together`);

  const { documentId, chunkIndex, chunkTotal } = metadata;
  if (!isDocumentId(documentId)) {
    throw invalid('metadata.documentId', `must be a string of 1 to ${MAX_DOCUMENT_ID_CODE_POINTS} characters`);
  }
  if (!isCount(chunkTotal) || chunkTotal < 1) throw invalid('metadata.chunkTotal', 'must be an integer of at least 1');
  if (!isCount(chunkIndex) || chunkIndex >= chunkTotal) {
    throw invalid('metadata.chunkIndex', 'must be an integer from 0 up to, not including, chunkTotal');
  }
}

/**
 * Returns a string that identifies a chunk of a document, never empty; undefined for a memory that is not a chunk.
 * Stores save it, and their migrations compute it: see `chunks` of SQLite.
 */
export function chunkIdentity(metadata: Metadata): string | undefined {
  const chunk = readChunk(metadata);
  return chunk && chunkAt(chunk.documentId, chunk.chunkIndex);
}

/** Returns the `chunkIdentity` of a chunk of a document. */
export function chunkAt(documentId: string, chunkIndex: number): string {
  return `${chunkIndex}:${documentId}`;
}

/** Returns the id of the document; undefined for a memory that is not a chunk. */
export function documentIdOf(metadata: Metadata): string | undefined {
  return readChunk(metadata)?.documentId;
}

/** Splits a result of `chunkIdentity`. */
export function parseChunkIdentity(identity: string): Pick<Chunk, 'documentId' | 'chunkIndex'> {
  const colon = identity.indexOf(':');
  return { chunkIndex: Number(identity.slice(0, colon)), documentId: identity.slice(colon + 1) };
}

function readChunk(metadata: Metadata): Chunk | undefined {
  if (!KEYS.every((key) => Object.hasOwn(metadata, key))) return undefined;
  const { documentId, chunkIndex, chunkTotal } = metadata;
  if (!isDocumentId(documentId) || !isCount(chunkIndex) || !isCount(chunkTotal)) return undefined;
  return chunkIndex < chunkTotal ? { documentId, chunkIndex, chunkTotal } : undefined;
}

function isDocumentId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && countCodePoints(value) <= MAX_DOCUMENT_ID_CODE_POINTS;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
