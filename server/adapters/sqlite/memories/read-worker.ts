import { serveOrders } from '../engine/serve-orders.js';
import { answer, type ReadOrder } from './heavy-reads.js';

const CACHE_KIB = 8_192;
const pragmas = `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -${CACHE_KIB}`;

/** Runs in a separate thread: executes long reads. Each result belongs to one state of the store. */
serveOrders({ readOnly: true, pragmas }, (connection, order: ReadOrder, assertWanted) => {
  connection.run('BEGIN');
  try {
    return answer(connection, order, assertWanted);
  } finally {
    connection.run('COMMIT');
  }
});
