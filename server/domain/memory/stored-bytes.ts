import type { Memory } from './memory.js';

/** What the vector of a memory counts, whatever the embedder: 1,024 numbers of 4 bytes. */
export const VECTOR_BYTES = 4_096;

/** What a memory counts against the storage of its organization: its content, its metadata and its vector. */
export function bytesOf({ content, metadata }: Pick<Memory, 'content' | 'metadata'>): number {
  return bytesOfTexts(content, JSON.stringify(metadata));
}

/** @param metadata as JSON */
export function bytesOfTexts(content: string, metadata: string): number {
  return Buffer.byteLength(content) + Buffer.byteLength(metadata) + VECTOR_BYTES;
}
