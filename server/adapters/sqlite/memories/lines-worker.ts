import { serveOrders } from '../engine/serve-orders.js';
import type { LinesOrder } from './line-reads.js';
import { listPage, readLines } from './memory-lines.js';

const CACHE_KIB = 8_192;
const pragmas = `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -${CACHE_KIB}`;

/** Runs in a separate thread: reads long pages as text. Each page belongs to one state of the store. */
serveOrders(
  { readOnly: true, pragmas },
  (connection, { org, query }: LinesOrder) => {
    connection.run('BEGIN');
    try {
      return readLines(connection, listPage(connection, org, query));
    } finally {
      connection.run('COMMIT');
    }
  },
  ({ lines }) => [lines.buffer],
);
