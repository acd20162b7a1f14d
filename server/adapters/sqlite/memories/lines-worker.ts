import { serveReads } from '../engine/serve-orders.js';
import type { LinesOrder } from './line-reads.js';
import { listPage, readLines } from './memory-lines.js';

/** Runs in a separate thread: reads long pages as text. */
serveReads(
  (connection, { org, query }: LinesOrder) => readLines(connection, listPage(connection, org, query)),
  ({ lines }) => [lines.buffer],
);
