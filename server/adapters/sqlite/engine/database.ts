import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StoreOpenError, StoreUnavailableError } from '../../../ports/store-errors.js';
import { Connection } from './connection.js';
import { damage, isDamage, translated } from './errors.js';
import { FolderIdentity } from './folder/folder-identity.js';
import { lockFolder } from './folder/folder-lock.js';
import { CheckpointThread } from './log/checkpoint-thread.js';
import { WriteAheadLog } from './log/write-ahead-log.js';
import { migrate, schemaVersion } from './migrate.js';
import { isCheckedAtStart, PageCheck, pageFault, tablesOf } from './page-check.js';
import { DatabaseThread } from './threads/database-thread.js';

/** The connections of one data folder. */
export interface Database {
  /** The only connection of the service that writes memories. */
  writer: Connection;
  /** Sees only committed state, even while a transaction is open. */
  reader: Connection;
  /**
   * Returns the cheapest connection that sees only committed state in this turn of the event loop. This is the writer,
   * unless it has a transaction open: after a commit, the reader must read every page again.
   */
  committed(): Connection;
  /** The log that the writer commits to. */
  log: WriteAheadLog;
  /** Descriptor of the file. It must outlive all connections, since closing it releases their locks. */
  file: number;
  /**
   * Adds a thread with its own connection. `endThreads` ends it too.
   *
   * @param module the module that the thread runs
   */
  addThread<Order, Result>(module: string): DatabaseThread<Order, Result>;
  /** Reports if the lock of the folder still keeps other processes out. */
  isHeld(): boolean;
  /** Starts the check of a database that was too large to check at opening. Returns undefined for any other. */
  checkPages(): PageCheck | undefined;
  /** Ends all threads after their last order. Must be called before `close`. */
  endThreads(): Promise<void>;
  close(): void;
}

export interface DatabaseOptions {
  /** Number of pages after which the log is copied into the database. */
  logPages?: number | undefined;
  /** Maximum size up to which a database is checked for damage before it is used. */
  checkedBytes?: number | undefined;
}

const CACHE_KIB = 16_384;
const MAX_KEPT_LOG_BYTES = 64 * 1024 * 1024;

const FULL = 2;

export const DATABASE_FILE = 'memory.db';

/**
 * Opens the database of a data folder, and creates it if necessary.
 *
 * @throws {StoreOpenError} if another process uses the folder, a newer release wrote it, or durability is not guaranteed
 */
export function openDatabase(
  dataDir: string,
  onFatal: (error: unknown) => void,
  { logPages, checkedBytes }: DatabaseOptions = {},
): Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, DATABASE_FILE);
  const lock = lockFolder(dataDir, path);
  const opened: Pick<Connection, 'close'>[] = [lock];
  const close = () => {
    for (const connection of opened.toReversed()) connection.close();
  };
  try {
    const identity = new FolderIdentity(dataDir, path);
    identity.requireDatabase();
    // The engine gives its log the same rights as the file.
    closeSync(openSync(path, 'a', 0o600));
    const file = openSync(path, 'r+');
    opened.push({ close: () => closeSync(file) });
    const writer = new Connection(path, { onFatal });
    opened.push(writer);
    setUp(writer);
    identity.requireSchema(schemaVersion(writer));
    const isChecked = isCheckedAtStart(writer, checkedBytes);
    if (isChecked) requireSoundPages(writer);
    migrate(writer);
    verify(writer);
    identity.settle(writer);
    const reader = new Connection(path, { readOnly: true, onFatal });
    opened.push(reader);
    reader.exec(
      `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${CACHE_KIB}`,
    );
    const log = new WriteAheadLog(writer, new CheckpointThread(path, onFatal), logPages);
    const threads: { close(): Promise<void> }[] = [log];
    const addThread = <Order, Result>(module: string) => {
      const thread = new DatabaseThread<Order, Result>(path, module, onFatal);
      threads.push(thread);
      return thread;
    };
    const endThreads = async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    };
    const committed = () => (writer.isTransaction ? reader : writer);
    const checkPages = () => {
      if (isChecked) return undefined;
      const check = new PageCheck(path, onFatal);
      log.expectReader(() => check.isReading);
      return check;
    };
    const { isHeld } = lock;
    return { writer, reader, committed, log, file, addThread, isHeld, checkPages, endThreads, close };
  } catch (error) {
    close();
    throw openingError(dataDir, error);
  }
}

/** Converts an error during opening to one that tells the operator what to do. */
export function openingError(dataDir: string, error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  const path = join(dataDir, DATABASE_FILE);
  const message = isDamage(error.cause)
    ? whatToDo(path, error.cause)
    : `${path} cannot be used. ${error.message}: fix that, or restore the file from a backup`;
  return new StoreOpenError(message, { cause: error });
}

/** Returns a text that tells the operator what to do about a damaged database. */
export function whatToDo(path: string, { message }: Error): string {
  return (
    `${path} cannot be used because it is damaged (${message}). Nothing more was written. Keep a copy of the folder, run ` +
    '"memory-server check" to see what is affected, and restore the folder from a backup'
  );
}

function requireSoundPages(writer: Connection): void {
  for (const table of tablesOf(writer)) {
    const fault = pageFault(writer, table);
    if (fault !== undefined) throw translated(damage(`table ${table}: ${fault}`));
  }
}

/**
 * Keeps temporary data in memory, since the undo data of a savepoint would otherwise go through a file.
 * Commits copy nothing from the log into the database; WriteAheadLog does.
 */
function setUp(writer: Connection): void {
  writer.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cell_size_check = ON;
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = ${MAX_KEPT_LOG_BYTES};
  `);
}

/** Must follow the first access: some builds of SQLite lower `synchronous` when they first see a file in WAL mode. */
function verify(writer: Connection): void {
  const journalMode = writer.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode;
  const synchronous = writer.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous;
  if (journalMode !== 'wal' || synchronous !== FULL) {
    throw new StoreOpenError(
      `The database cannot guarantee durability: journal_mode is ${journalMode} (must be wal), ` +
        `synchronous is ${synchronous} (must be 2)`,
    );
  }
}
