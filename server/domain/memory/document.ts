import type { Microseconds } from '../timestamp.js';
import type { Memory, Scope, SubjectKey } from './memory.js';
import { subjectText } from './memory-facets.js';

/** Active memories that share a documentId and a subject key are the chunks of one document. */
export interface DocumentName {
  documentId: string;
  subjectKey?: SubjectKey | undefined;
}

/** An active memory that is a chunk, without its content. */
export interface StoredChunk extends DocumentName {
  id: string;
  scope: Scope;
  /** Its place in the document, from 0. */
  index: number;
  /** How many chunks it says that the document has. */
  total: number;
  /** Bytes of its content, in UTF-8. */
  bytes: number;
  createdAt: Microseconds;
  updatedAt: Microseconds;
}

/** Chunks in a row that are missing, both ends included. */
export interface Gap {
  first: number;
  last: number;
}

export interface DocumentSummary extends DocumentName {
  scope: Scope;
  chunkTotal: number;
  /** How many chunks are stored. */
  chunks: number;
  missing: number;
  /** The first `MAX_GAPS` of them. */
  gaps: Gap[];
  /** How many memories the document has. */
  memories: number;
  bytes: number;
  createdAt: Microseconds;
  updatedAt: Microseconds;
  /** Whether the document has more memories than were looked at. */
  isTruncated: boolean;
}

/** A document, or a part of it. */
export interface JoinedChunks {
  content: string;
  memoryIds: string[];
  /** The chunk to go on with; undefined for the last part. */
  nextChunk?: number;
}

const MAX_GAPS = 100;

export function isOfDocument({ metadata, subjectKey }: Memory, name: DocumentName): boolean {
  return metadata.documentId === name.documentId && subjectText(subjectKey) === subjectText(name.subjectKey);
}

/**
 * The memories that a document is read from, in order. Where several memories hold one place, and where they disagree
 * about the number of chunks, the one that changed last is right.
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
 * Joins chunks in their order. A gap is named in the text, so that nobody takes what stands around it for one passage.
 *
 * @param chunks those of the part, in order
 * @param contents by the ids of memories; a chunk without one is missing
 * @param range from the first chunk of the part up to, not including, the last one, and the total of the document
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
