import { serveOrders } from '../threads/serve-orders.js';
import type { CheckpointMode } from './checkpoint-thread.js';

/** Maximum time that `RESTART` waits for readers, and so blocks writers. */
const MAX_WAIT_MS = 250;

/** Without FULL, the engine would overwrite the log before the copied pages are durable in the database. */
const pragmas = 'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0';

/** Runs in a separate thread: copies the log into the database, and answers when the copied pages are durable. */
serveOrders({ busyTimeoutMs: MAX_WAIT_MS, pragmas }, (connection, mode: CheckpointMode) => {
  connection.get(`PRAGMA wal_checkpoint(${mode})`);
});
