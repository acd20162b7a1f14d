import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreInUseError, StoreUnavailableError } from '../../../../ports/store-errors.js';
import { Connection } from '../connection.js';
import { isBusy } from '../errors.js';

export const LOCK_FILE = 'memory.lock';

/** Keeps other processes out of a data folder. */
export interface FolderLock {
  /** Reports if the lock still keeps others out. Removing its file lets a second process in. */
  isHeld(): boolean;
  close(): void;
}

/**
 * Locks a data folder with an exclusive transaction on a separate database,
 * open as long as the process. The kernel releases the lock even after a kill,
 * so no stale lock can remain.
 *
 * @param database the folder's database. If it exists without the lock file, the file was removed, perhaps while a
 * process had it locked. Then no other process may have the database open either.
 * @throws {StoreInUseError} if another process uses the folder
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
      `Another process is using the data folder ${dataDir}: stop it, or start this process with another data folder`,
      { cause: error },
    );
  }
  const inode = inodeOf(path);
  return { isHeld: () => inodeOf(path) === inode, close: () => lock.close() };
}

/** Relies on the lock, at least a shared one, that every process with the open database holds. */
function requireUnused(database: string): void {
  const probe = new Connection(database, { busyTimeoutMs: 0 });
  try {
    probe.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
  } catch (error) {
    // Opening the database reports damage.
    if (isBusy(error) || !(error instanceof StoreUnavailableError)) throw error;
  } finally {
    probe.close();
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
