import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreOpenError } from '../../../../ports/store-errors.js';
import type { Connection } from '../connection.js';
import { isNamed } from '../migrate.js';

const ID_FILE = 'memory.id';
const ID = /^[0-9a-f]{32}$/;

/**
 * The id of a data folder, stored in its database and in a file beside it.
 * With the file, opening detects a database that is missing, emptied, or from
 * another folder, and fails instead of starting with an empty one.
 */
export class FolderIdentity {
  readonly #file: string;
  readonly #database: string;
  /** Undefined for a new folder, or one that an earlier release wrote. */
  #id: string | undefined;

  /** @throws {StoreOpenError} if the file does not contain an id */
  constructor(dataDir: string, database: string) {
    this.#file = join(dataDir, ID_FILE);
    this.#database = database;
    this.#id = readId(this.#file);
  }

  /**
   * Must be called before the database is opened: opening would create it again and delete its log.
   *
   * @throws {StoreOpenError} if the folder's database is missing or empty
   */
  requireDatabase(): void {
    if (this.#id === undefined) return;
    const size = statSync(this.#database, { throwIfNoEntry: false })?.size;
    if (size === undefined) throw this.#lost('is missing');
    if (size === 0) throw this.#lost('is empty');
  }

  /**
   * Must be called before the migrations.
   *
   * @param version schema version of the database
   * @throws {StoreOpenError} if the database has lost its tables
   */
  requireSchema(version: number): void {
    if (this.#id === undefined) return;
    if (version === 0) throw this.#lost('has no tables');
    if (isNamed(version)) return;
    // This is a restored backup of an earlier release, which gets its own id.
    rmSync(this.#file, { force: true });
    this.#id = undefined;
  }

  /**
   * Compares the ids in the database and in the file, and writes the file if it
   * is absent. The database gets its id first, so a crash in between leaves
   * nothing that the next start rejects.
   *
   * @param connection to a database with the current schema
   * @throws {StoreOpenError} if the database belongs to another folder
   */
  settle(connection: Connection): void {
    const id = folderOf(connection);
    if (id === undefined) throw new StoreOpenError(`${this.#database} has no id: restore it from a backup`);
    if (this.#id === undefined) writeId(this.#file, id);
    else if (this.#id !== id) throw this.#lost('belongs to another data folder');
  }

  /** Describes a conflict of the two ids, without writing. Returns undefined if there is none. */
  difference(connection: Connection): string | undefined {
    const id = folderOf(connection);
    if (this.#id === undefined) return undefined;
    return id === this.#id ? undefined : this.#lost('belongs to another data folder').message;
  }

  #lost(fault: string): StoreOpenError {
    return new StoreOpenError(
      `${this.#database} ${fault}, but ${this.#file} shows that this folder had memories: put the database back ` +
        `together with its log (memory.db-wal), or remove ${this.#file} to start with what is in the folder`,
    );
  }
}

/** Writes the id of a folder before it has a database. Until the database is there, no service starts in the folder. */
export function nameFolder(dataDir: string, id: string): void {
  writeId(join(dataDir, ID_FILE), id);
}

function folderOf(connection: Connection): string | undefined {
  return connection.get<{ folder: string }>('SELECT folder FROM identity')?.folder;
}

function readId(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StoreOpenError(`${path} cannot be read: make it readable, or restore it from a backup`, { cause: error });
  }
  if (ID.test(text)) return text;
  throw new StoreOpenError(`${path} does not contain the id of a data folder: restore it from a backup, or remove it`);
}

/** Writes the file atomically: after a power loss it is complete or absent. */
function writeId(path: string, id: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, `${id}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
