import type { ExportedMemory } from '@memory-service/sdk';

/** A document put together from the memories that hold its chunks (section 2.2). */
export interface Document {
  text: string;
  chunkTotal: number;
  /** Chunks that no memory holds, counted from 0. */
  missing: readonly number[];
  /** The memories whose text this is, in order. */
  memoryIds: readonly string[];
  /** The chunk to go on with, where the text was too long for one answer. */
  nextChunk?: number;
}

interface Chunk {
  index: number;
  total: number;
  memory: ExportedMemory;
}

/**
 * Joins the chunks of one document in their order. Where several memories hold
 * one place, and where they disagree about the number of chunks, the one that
 * changed last is right. A gap is named in the text, so that nobody takes what
 * stands around it for one passage. Undefined where there is no chunk at all.
 *
 * @param from the first chunk, counted from 0
 * @param maxChars ends the text before the chunk that would exceed it; one chunk is always there
 */
export function joinChunks(memories: readonly ExportedMemory[], from: number, maxChars: number): Document | undefined {
  const chunks = memories
    .flatMap(toChunk)
    .sort((one, other) => (one.memory.updatedAt < other.memory.updatedAt ? -1 : 1));
  const newest = chunks.at(-1);
  if (!newest) return undefined;
  const chunkTotal = newest.total;
  const byIndex = new Map(chunks.map((chunk) => [chunk.index, chunk.memory]));
  const present = Array.from(byIndex.keys())
    .filter((index) => index < chunkTotal)
    .sort((one, other) => one - other);
  const missing = gaps(present, chunkTotal);

  const parts: string[] = [];
  const memoryIds: string[] = [];
  let length = 0;
  let expected = from;
  for (const index of present.filter((each) => each >= from)) {
    const memory = byIndex.get(index);
    if (!memory) continue;
    if (memoryIds.length > 0 && length + memory.content.length > maxChars) {
      return { text: parts.join(''), chunkTotal, missing, memoryIds, nextChunk: index };
    }
    if (index > expected) parts.push(gap(expected, index - 1, chunkTotal));
    parts.push(memory.content);
    memoryIds.push(memory.id);
    length += memory.content.length;
    expected = index + 1;
  }
  if (expected < chunkTotal) parts.push(gap(expected, chunkTotal - 1, chunkTotal));
  return { text: parts.join(''), chunkTotal, missing, memoryIds };
}

/** At most this many are named one by one: a single chunk may claim that there are a million. */
const MAX_NAMED_GAPS = 1_000;

function gaps(present: readonly number[], total: number): number[] {
  const missing: number[] = [];
  let expected = 0;
  for (const index of [...present, total]) {
    for (let at = expected; at < index && missing.length < MAX_NAMED_GAPS; at += 1) missing.push(at);
    expected = index + 1;
  }
  return missing;
}

function gap(first: number, last: number, total: number): string {
  const which = first === last ? `chunk ${first} is` : `chunks ${first} to ${last} are`;
  return `\n[${which} missing: chunks are counted from 0 and there are ${total}]\n`;
}

function toChunk(memory: ExportedMemory): Chunk[] {
  const { chunkIndex: index, chunkTotal: total } = memory.metadata;
  return typeof index === 'number' && typeof total === 'number' ? [{ index, total, memory }] : [];
}
