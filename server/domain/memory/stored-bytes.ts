import type { Memory } from './memory.js';

/** Bytes that count for the vector of a memory, whatever the embedder: 1,024 numbers of 4 bytes. */
export const VECTOR_BYTES = 4_096;

/** Returns the bytes that count towards the storage of an organization: content, metadata and vector. */
export function bytesOf({ content, metadata }: Pick<Memory, 'content' | 'metadata'>): number {
  return bytesOfTexts(content, JSON.stringify(metadata));
}

/** @param metadata JSON text */
export function bytesOfTexts(content: string, metadata: string): number {
  return Buffer.byteLength(content) + Buffer.byteLength(metadata) + VECTOR_BYTES;
}
