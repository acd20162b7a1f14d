import { workerData } from 'node:worker_threads';
import { serveOrders } from '../threads/serve-orders.js';
import { syncFile } from './database-file.js';
import type { ScrubOrder } from './scrub.js';
import { Sweep, type SweepResult } from './sweep.js';

/** Maximum time that a step waits for readers, while writers wait. The step is retried later. */
const MAX_WAIT_MS = 10;
/** Maximum time of a step, while writers wait. */
const MAX_STEP_MS = 5;

/** Without FULL, the engine would overwrite the log before the copied pages are durable in the database. */
const pragmas = 'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0';

let sweep: Sweep | undefined;

/** Runs in a separate thread: cleans the files step by step. */
serveOrders({ busyTimeoutMs: MAX_WAIT_MS, pragmas }, (connection, { what, file }: ScrubOrder): SweepResult => {
  switch (what) {
    case 'begin':
      sweep = new Sweep(connection, (workerData as { path: string }).path, file);
      connection.get('PRAGMA wal_checkpoint(PASSIVE)');
      return 'done';
    case 'sweep':
      // If the thread died, it lost its position.
      if (!sweep) throw new Error('The sweep has not begun');
      return sweep.step(MAX_STEP_MS);
    case 'sync':
      syncFile(file);
      return 'done';
    case 'empty-log':
      sweep?.end();
      return connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0 ? 'done' : 'busy';
    case 'end':
      sweep?.end();
      sweep = undefined;
      return 'done';
  }
});
