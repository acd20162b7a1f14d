import type { MemoryLines } from '../../../../ports/memory-reader.js';
import { serveReads } from '../../engine/threads/serve-orders.js';
import type { LinesOrder } from './line-reads.js';
import { listPage, readLines } from './memory-lines.js';

/** Runs in a separate thread: reads long pages as text. */
serveReads(
  (connection, { org, query, into }: LinesOrder) =>
    passedIn(into, readLines(connection, listPage(connection, org, query))),
  ({ lines }) => (lines.buffer instanceof ArrayBuffer ? [lines.buffer] : []),
);

function passedIn(buffer: SharedArrayBuffer | undefined, page: MemoryLines): MemoryLines {
  if (!buffer || page.lines.length > buffer.byteLength) return page;
  const lines = new Uint8Array(buffer, 0, page.lines.length);
  lines.set(page.lines);
  return { ...page, lines };
}
