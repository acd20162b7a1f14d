import { countWithin } from '../../../../domain/memory/page-bytes.js';
import type { ListedRow } from './list-sql.js';

/** Bytes of memories that a list reads in one turn of the event loop: up to 3 ms. */
export const SLICE_BYTES = 262_144;

/** Divides a list into parts of at most `SLICE_BYTES`, or of one memory. */
export function slicesOf(listed: readonly ListedRow[]): ListedRow[][] {
  const slices: ListedRow[][] = [];
  for (let rest = listed; rest.length > 0; ) {
    const count = countWithin(rest, SLICE_BYTES, bytesOf);
    slices.push(rest.slice(0, count));
    rest = rest.slice(count);
  }
  return slices;
}

/** Size of the content and the metadata of a row in UTF-8. */
export function bytesOf({ content_bytes, metadata_bytes }: ListedRow): number {
  return content_bytes + metadata_bytes;
}
