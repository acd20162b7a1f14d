import { serveOrders } from '../serve-orders.js';
import type { CompactionOrder } from './compaction.js';

/** How long readers are waited for. Those of the service end sooner. */
const LONGEST_WAIT_MS = 10_000;

/** The rebuilt database may be larger than the memory, so its draft is a file, which has no name and ends with the thread. */
const pragmas = 'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = FILE';

/** Runs in a thread of its own: rebuilding reads and writes the whole database. */
serveOrders({ busyTimeoutMs: LONGEST_WAIT_MS, pragmas }, (connection, order: CompactionOrder) => {
  if (order === 'rebuild') {
    connection.exec('VACUUM');
    return true;
  }
  return connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0;
});
