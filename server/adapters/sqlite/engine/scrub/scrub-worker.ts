import { workerData } from 'node:worker_threads';
import { serveOrders } from '../serve-orders.js';
import { syncFile } from './database-file.js';
import type { ScrubOrder } from './scrub.js';
import { Sweep, type SweepResult } from './sweep.js';

/** How long readers are waited for while writers wait. It is tried again later. */
const LONGEST_WAIT_MS = 10;
/** Writers wait for a step. */
const LONGEST_STEP_MS = 5;

/** Without FULL the engine would let the log start anew before the disk has the database with what was in it. */
const pragmas = 'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0';

let sweep: Sweep | undefined;

/** Runs in a thread of its own: cleans the files step by step. */
serveOrders({ busyTimeoutMs: LONGEST_WAIT_MS, pragmas }, (connection, { what, file }: ScrubOrder): SweepResult => {
  switch (what) {
    case 'begin':
      sweep = new Sweep(connection, (workerData as { path: string }).path, file);
      connection.get('PRAGMA wal_checkpoint(PASSIVE)');
      return 'done';
    case 'sweep':
      // A thread that died lost how far it was.
      if (!sweep) throw new Error('No sweep was begun');
      return sweep.step(LONGEST_STEP_MS);
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
