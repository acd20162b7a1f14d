import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointOrder } from './checkpoint-thread.js';
import { Connection } from './connection.js';
import { reportOf } from './errors.js';

/**
 * Runs in a thread of its own: copies the log into the database whenever it
 * is told to, and answers when what it copied is durable.
 */
const { path } = workerData as { path: string };
let connection: Connection | undefined;

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order === 'copy') parentPort?.postMessage(copy());
  else {
    connection?.close();
    parentPort?.close();
  }
});

function copy(): CheckpointAnswer {
  try {
    connection ??= open();
    connection.get('PRAGMA wal_checkpoint(PASSIVE)');
    return {};
  } catch (error) {
    return { error: reportOf(error) };
  }
}

function open(): Connection {
  const opened = new Connection(path);
  // Without it the engine would let the log start anew before the disk has the database with what was in it.
  opened.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  return opened;
}
