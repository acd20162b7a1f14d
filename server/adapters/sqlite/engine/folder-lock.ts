import { join } from 'node:path';
import { StoreInUseError, StoreUnavailableError } from '../../../ports/store.js';
import { Connection } from './connection.js';

/**
 * Keeps a second process out of a data folder, by an exclusive transaction on
 * a database of its own that lasts as long as the process: the kernel lets go
 * of the lock even after a kill, and no file can be left behind that means
 * "in use".
 *
 * @throws {StoreInUseError} when another process has the folder
 */
export function lockFolder(dataDir: string): Connection {
  const lock = new Connection(join(dataDir, 'memory.lock'), { busyTimeoutMs: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new StoreInUseError(
      `Another process is using the data folder ${dataDir}: stop it, or start this one with a data folder of its own`,
      { cause: error },
    );
  }
}
