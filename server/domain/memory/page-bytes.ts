import type { Memory } from './memory.js';

/** Returns the bytes that count towards the limit of a page: content and metadata, in UTF-8. */
export function memoryBytes({ content, metadata }: Pick<Memory, 'content' | 'metadata'>): number {
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
