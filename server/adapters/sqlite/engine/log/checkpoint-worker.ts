import { serveOrders } from '../serve-orders.js';
import type { CheckpointMode } from './checkpoint-thread.js';

/** How long readers are waited for, where that is asked for, and with it how long writers may be kept. */
const LONGEST_WAIT_MS = 250;

/** Without FULL the engine would let the log start anew before the disk has the database with what was in it. */
const pragmas = 'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0';

/** Runs in a thread of its own: copies the log into the database, and answers when what it copied is durable. */
serveOrders({ busyTimeoutMs: LONGEST_WAIT_MS, pragmas }, (connection, mode: CheckpointMode) => {
  connection.get(`PRAGMA wal_checkpoint(${mode})`);
});
