import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StoreOpenError, StoreUnavailableError } from '../../../ports/store.js';
import { Connection } from './connection.js';
import { DatabaseThread } from './database-thread.js';
import { lockFolder } from './folder-lock.js';
import { CheckpointThread } from './log/checkpoint-thread.js';
import { WriteAheadLog } from './log/write-ahead-log.js';
import { migrate } from './migrate.js';

/** The connections of one data folder. */
export interface Database {
  /** The only connection that writes. */
  writer: Connection;
  /** Sees committed state alone, also while a transaction is open. */
  reader: Connection;
  /**
   * The connection that sees committed state at the least cost in this turn of the event loop. After a commit the
   * reader has to read every page again, which the writer has in memory; but it may have a transaction open.
   */
  committed(): Connection;
  /** What the writer commits to. */
  log: WriteAheadLog;
  /**
   * Adds a thread with a connection of its own. `endThreads` ends it too.
   *
   * @param module that the thread runs
   */
  addThread<Order, Result>(module: string): DatabaseThread<Order, Result>;
  /** Ends all threads after their last order. Call it before `close`. */
  endThreads(): Promise<void>;
  close(): void;
}

const CACHE_KIB = 16_384;
const LOG_BYTES_KEPT = 64 * 1024 * 1024;

const FULL = 2;

const DATABASE_FILE = 'memory.db';

/**
 * Opens, and where necessary creates, the database of a data folder.
 *
 * @throws {StoreOpenError} when another process uses the folder, a newer release wrote it, or the engine does not promise durability
 * @param logPages after which the log is copied into the database, where not the usual number
 */
export function openDatabase(dataDir: string, onFatal: (error: unknown) => void, logPages?: number): Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(dataDir);
  const path = join(dataDir, DATABASE_FILE);
  const opened: Connection[] = [lock];
  const close = () => {
    for (const connection of opened.toReversed()) connection.close();
  };
  try {
    // The engine gives its log the same rights as the file.
    closeSync(openSync(path, 'a', 0o600));
    const writer = new Connection(path, { onFatal });
    opened.push(writer);
    setUp(writer);
    migrate(writer);
    verify(writer);
    const reader = new Connection(path, { readOnly: true, onFatal });
    opened.push(reader);
    reader.exec(`PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${CACHE_KIB}`);
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
    return { writer, reader, committed, log, addThread, endThreads, close };
  } catch (error) {
    close();
    throw openingError(dataDir, error);
  }
}

/** What to tell the operator about an error met while the database was opened. */
export function openingError(dataDir: string, error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  const path = join(dataDir, DATABASE_FILE);
  const message = `${path} cannot be used. ${error.message}: mend that, or restore the file from a backup`;
  return new StoreOpenError(message, { cause: error });
}

/**
 * Temporary data stays in memory, since what a savepoint may have to undo otherwise goes through a file.
 * Commits copy nothing from the log into the database: see WriteAheadLog.
 */
function setUp(writer: Connection): void {
  writer.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = ${LOG_BYTES_KEPT};
  `);
}

/** After the first access, since builds of SQLite lower `synchronous` when they first see that the file is in WAL mode. */
function verify(writer: Connection): void {
  const journalMode = writer.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode;
  const synchronous = writer.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous;
  if (journalMode !== 'wal' || synchronous !== FULL) {
    throw new StoreOpenError(
      `The database does not promise durability: journal_mode is ${journalMode} (wal is needed), ` +
        `synchronous is ${synchronous} (2 is needed)`,
    );
  }
}
