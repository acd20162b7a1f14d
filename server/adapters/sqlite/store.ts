import { join } from 'node:path';
import type { Microseconds } from '../../domain/timestamp.js';
import { StoreDamagedError } from '../../ports/store-errors.js';
import {
  DATABASE_FILE,
  type Database,
  type DatabaseOptions,
  openDatabase,
  openingError,
  whatToDo,
} from './engine/database.js';
import { isDamage } from './engine/errors.js';
import { wallClock } from './engine/wall-clock.js';
import { type Fault, SqliteStore, type SqliteStoreParts } from './sqlite-store.js';
import { nativeScan, type Scan } from './vector-index/scan/scan.js';

export interface SqliteStoreOptions extends DatabaseOptions, Omit<SqliteStoreParts, 'now' | 'fault' | 'scan'> {
  /** Folder of the database, created if it does not exist. Only one process can use it. */
  dataDir: string;
  now?: () => Microseconds;
  /**
   * Called after a fault that could lose acknowledged writes (a failed fsync, a
   * damaged database). The process must end. From then on the store rejects every call.
   */
  onFatal?: (error: unknown) => void;
  /** The scan of the vectors. Default: the native one, if it loads. */
  scan?: Scan;
}

/**
 * Opens the embedded store.
 *
 * @throws {StoreOpenError} if another process uses the folder, a newer release wrote it, or durability is not guaranteed
 */
export async function openSqliteStore({ now = wallClock, ...options }: SqliteStoreOptions): Promise<SqliteStore> {
  const { scan = nativeScan } = options;
  const fault: Fault = { error: undefined, tell: () => {} };
  const onFatal = (error: unknown) => {
    if (fault.error !== undefined) return;
    fault.error = error;
    fault.tell(error);
  };
  let database: Database | undefined;
  try {
    database = openDatabase(options.dataDir, onFatal, options);
    const store = new SqliteStore(database, { ...options, scan, now, fault });
    // Earlier faults make opening fail.
    fault.tell = (error) => options.onFatal?.(explained(options.dataDir, error));
    return store;
  } catch (error) {
    await options.indexThread?.[Symbol.asyncDispose]();
    database?.close();
    throw openingError(options.dataDir, error);
  }
}

/** Converts a fault to an error that tells the operator what to do. */
function explained(dataDir: string, error: unknown): unknown {
  if (!isDamage(error)) return error;
  return new StoreDamagedError(whatToDo(join(dataDir, DATABASE_FILE), error), { cause: error });
}
