import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreInUseError, StoreUnavailableError } from '../../../ports/store.js';
import { Connection } from './connection.js';
import { isBusy } from './errors.js';

export const LOCK_FILE = 'memory.lock';

/** Keeps other processes out of a data folder. */
export interface FolderLock {
  /** Whether the lock still keeps others out: whoever removes its file lets a second process in. */
  isHeld(): boolean;
  close(): void;
}

/**
 * Keeps a second process out of a data folder, by an exclusive transaction on
 * a database of its own that lasts as long as the process: the kernel lets go
 * of the lock even after a kill, and no file can be left behind that means
 * "in use".
 *
 * @param database that the folder is about. If it is there and the lock's file is not, the file was removed, perhaps
 * while a process had it locked: then nobody else may have the database open either.
 * @throws {StoreInUseError} when another process has the folder
 */
export function lockFolder(dataDir: string, database: string): FolderLock {
  const path = join(dataDir, LOCK_FILE);
  const wasRemoved = !existsSync(path) && existsSync(database);
  const lock = new Connection(path, { busyTimeoutMs: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    if (wasRemoved) requireUnused(database);
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new StoreInUseError(
      `Another process is using the data folder ${dataDir}: stop it, or start this one with a data folder of its own`,
      { cause: error },
    );
  }
  const inode = inodeOf(path);
  return { isHeld: () => inodeOf(path) === inode, close: () => lock.close() };
}

/** Every process that has the database open holds a lock on it, if only a shared one. */
function requireUnused(database: string): void {
  const probe = new Connection(database, { busyTimeoutMs: 0 });
  try {
    probe.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
  } catch (error) {
    // Damage is found, and told, by whoever opens the database next.
    if (isBusy(error) || !(error instanceof StoreUnavailableError)) throw error;
  } finally {
    probe.close();
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
