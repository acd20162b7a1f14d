import type { Memory } from './memory.js';
import { MAX_METADATA_BYTES } from './metadata.js';

type Measured = Pick<Memory, 'content' | 'metadata'>;

/** Largest number of bytes in UTF-8 of a code unit of UTF-16. */
const BYTES_PER_CODE_UNIT = 3;

/** Returns the bytes that count towards the limit of a page: content and metadata, in UTF-8. */
export function memoryBytes({ content, metadata }: Measured): number {
  return Buffer.byteLength(content) + Buffer.byteLength(JSON.stringify(metadata));
}

/**
 * Counts the first items of a list that have at most `maxBytes` in total. The first item always counts.
 *
 * @param bytesOf bytes of one item
 */
export function countWithin<Item>(items: readonly Item[], maxBytes: number, bytesOf: (item: Item) => number): number {
  let bytes = 0;
  const beyond = items.findIndex((item, index) => {
    bytes += bytesOf(item);
    return index > 0 && bytes > maxBytes;
  });
  return beyond < 0 ? items.length : beyond;
}

/** Counts the first memories of a list that have at most `maxBytes` in total. The first memory always counts. */
export function countMemoriesWithin(memories: readonly Measured[], maxBytes: number): number {
  // Measuring metadata takes as long as writing it into the answer, so few memories are not measured.
  const characters = memories.reduce((sum, { content }) => sum + content.length, 0);
  const most = memories.length * MAX_METADATA_BYTES + characters * BYTES_PER_CODE_UNIT;
  return most <= maxBytes ? memories.length : countWithin(memories, maxBytes, memoryBytes);
}
