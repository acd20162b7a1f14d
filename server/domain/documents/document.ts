import type { Filter } from '../filter/filter.js';
import { subjectText } from '../filter/memory-facets.js';
import type { Memory, Scope, SubjectKey } from '../memory/memory.js';
import type { Microseconds } from '../timestamp.js';
import { documentIdOf } from './chunk.js';

/** Name of a document. Active memories with the same documentId and subject key are its chunks. */
export interface DocumentName {
  documentId: string;
  subjectKey?: SubjectKey | undefined;
}

/** An active memory that is a chunk, without its content. */
export interface StoredChunk extends DocumentName {
  id: string;
  scope: Scope;
  /** Position in the document, from 0. */
  index: number;
  /** Number of chunks of the document, by this memory's metadata. */
  total: number;
  /** Bytes of the content in UTF-8. */
  bytes: number;
  createdAt: Microseconds;
  updatedAt: Microseconds;
}

/** Range of missing chunks, both ends included. */
export interface Gap {
  first: number;
  last: number;
}

export interface DocumentSummary extends DocumentName {
  scope: Scope;
  chunkTotal: number;
  /** Number of stored chunks. */
  chunks: number;
  missing: number;
  /** The first `MAX_GAPS` ranges of missing chunks. */
  gaps: Gap[];
  /** Number of memories; higher than `chunks` if several memories have the same index. */
  memories: number;
  bytes: number;
  createdAt: Microseconds;
  updatedAt: Microseconds;
  /** True if the document has more memories than were read. */
  isTruncated: boolean;
}

/** Consecutive chunks of a document as one text. */
export interface JoinedChunks {
  content: string;
  memoryIds: string[];
  /** Index of the next chunk to read; undefined at the end of the document. */
  nextChunk?: number;
}

const MAX_GAPS = 100;

/** Returns the document of a memory; undefined for a memory that is not a chunk. */
export function documentOf({
  metadata,
  subjectKey,
}: Pick<Memory, 'metadata' | 'subjectKey'>): DocumentName | undefined {
  const documentId = documentIdOf(metadata);
  return documentId === undefined ? undefined : { documentId, ...(subjectKey !== undefined && { subjectKey }) };
}

/** Returns a text that identifies a document in an organization. */
export function documentKey({ documentId, subjectKey }: DocumentName): string {
  return JSON.stringify([documentId, subjectText(subjectKey)]);
}

/**
 * Narrows a filter to the memories of a document that the filter matches. No filter can require that a memory has no
 * subject. For a document without one, the result also matches documents of other subjects with the same documentId.
 */
export function withinDocument(filter: Filter, { documentId, subjectKey }: DocumentName): Filter {
  const others = filter.metadata.filter(({ key }) => key !== 'documentId');
  return {
    ...filter,
    ...(subjectKey !== undefined && { subjectKey }),
    metadata: [{ key: 'documentId', anyOf: [documentId] }, ...others],
  };
}

export function isOfDocument({ metadata, subjectKey }: Memory, name: DocumentName): boolean {
  return metadata.documentId === name.documentId && subjectText(subjectKey) === subjectText(name.subjectKey);
}

/**
 * Returns the chunks of a document in order. If several memories have the same index, or other totals, the one that
 * changed last applies.
 *
 * @param memories of one document, at least one
 */
export function chunksInOrder(memories: readonly StoredChunk[]): { newest: StoredChunk; chunks: StoredChunk[] } {
  const changed = memories.toSorted((one, other) => one.updatedAt - other.updatedAt);
  const newest = changed.at(-1);
  if (!newest) throw new Error('A document has at least one memory');
  const byIndex = new Map(changed.map((chunk) => [chunk.index, chunk]));
  const chunks = [...byIndex.values()].filter(({ index }) => index < newest.total);
  return { newest, chunks: chunks.sort((one, other) => one.index - other.index) };
}

/** @param memories of one document, at least one */
export function summarize(memories: readonly StoredChunk[], isTruncated: boolean): DocumentSummary {
  const { newest, chunks } = chunksInOrder(memories);
  const { documentId, subjectKey, scope, total, updatedAt } = newest;
  return {
    documentId,
    ...(subjectKey !== undefined && { subjectKey }),
    scope,
    chunkTotal: total,
    chunks: chunks.length,
    missing: total - chunks.length,
    gaps: gapsOf(chunks, total),
    memories: memories.length,
    bytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
    createdAt: memories.reduce((least, { createdAt }) => Math.min(least, createdAt), newest.createdAt),
    updatedAt,
    isTruncated,
  };
}

/**
 * Joins chunks in their order. A note in the text marks each gap, so that readers do not join the texts around it.
 *
 * @param chunks chunks of the range, in order
 * @param contents contents by memory id; a chunk without content counts as missing
 * @param range first chunk, end (exclusive), and number of chunks of the document
 */
export function joinChunks(
  chunks: readonly StoredChunk[],
  contents: ReadonlyMap<string, string>,
  { from, to, total }: { from: number; to: number; total: number },
): JoinedChunks {
  const parts: string[] = [];
  const memoryIds: string[] = [];
  let expected = from;
  for (const { id, index } of chunks) {
    const content = contents.get(id);
    if (content === undefined) continue;
    if (index > expected) parts.push(gapText(expected, index - 1, total));
    parts.push(content);
    memoryIds.push(id);
    expected = index + 1;
  }
  if (expected < to) parts.push(gapText(expected, to - 1, total));
  return { content: parts.join(''), memoryIds, ...(to < total && { nextChunk: to }) };
}

function gapsOf(chunks: readonly StoredChunk[], total: number): Gap[] {
  const gaps: Gap[] = [];
  let expected = 0;
  for (const index of [...chunks.map((chunk) => chunk.index), total]) {
    if (gaps.length === MAX_GAPS) break;
    if (index > expected) gaps.push({ first: expected, last: index - 1 });
    expected = index + 1;
  }
  return gaps;
}

function gapText(first: number, last: number, total: number): string {
  const which = first === last ? `chunk ${first} is` : `chunks ${first} to ${last} are`;
  return `\n[${which} missing: chunks are counted from 0 and there are ${total}]\n`;
}
