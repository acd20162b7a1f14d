import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreOpenError } from '../../../ports/store.js';
import type { Connection } from './connection.js';
import { isNamed } from './migrate.js';

const ID_FILE = 'memory.id';
const ID = /^[0-9a-f]{32}$/;

/**
 * The id of a data folder, which its database has and a file beside it
 * repeats. By the file a start sees that the database was there and is gone,
 * was emptied, or is another folder's, and refuses to begin as if it were new.
 */
export class FolderIdentity {
  readonly #file: string;
  readonly #database: string;
  /** Undefined in a folder that is new, or that an earlier release wrote. */
  #id: string | undefined;

  /** @throws {StoreOpenError} when the file holds something else */
  constructor(dataDir: string, database: string) {
    this.#file = join(dataDir, ID_FILE);
    this.#database = database;
    this.#id = readId(this.#file);
  }

  /**
   * To be called before the database is opened, which would make it anew and drop its log.
   *
   * @throws {StoreOpenError} when the folder had a database that is missing or empty
   */
  requireDatabase(): void {
    if (this.#id === undefined) return;
    const size = statSync(this.#database, { throwIfNoEntry: false })?.size;
    if (size === undefined) throw this.#lost('is missing');
    if (size === 0) throw this.#lost('is empty');
  }

  /**
   * To be called before the schema is brought up to date.
   *
   * @param version of the schema that was found
   * @throws {StoreOpenError} when the database was made anew
   */
  requireSchema(version: number): void {
    if (this.#id === undefined) return;
    if (version === 0) throw this.#lost('has no tables');
    if (isNamed(version)) return;
    // A backup of an earlier release, put back into this folder: it gets an id of its own.
    rmSync(this.#file, { force: true });
    this.#id = undefined;
  }

  /**
   * Compares the database with the file, which is written where there is none
   * yet. The database has its id first: a crash in between leaves nothing that
   * the next start refuses.
   *
   * @param connection of a database with the present schema
   * @throws {StoreOpenError} when the database is of another folder
   */
  settle(connection: Connection): void {
    const id = folderOf(connection);
    if (id === undefined) throw new StoreOpenError(`${this.#database} lacks its id: restore it from a backup`);
    if (this.#id === undefined) writeId(this.#file, id);
    else if (this.#id !== id) throw this.#lost('belongs to another data folder');
  }

  /** What is wrong, for whoever may only read. */
  difference(connection: Connection): string | undefined {
    const id = folderOf(connection);
    if (this.#id === undefined) return undefined;
    return id === this.#id ? undefined : this.#lost('belongs to another data folder').message;
  }

  #lost(fault: string): StoreOpenError {
    return new StoreOpenError(
      `${this.#database} ${fault}, though ${this.#file} says that there are memories in this folder: put the database ` +
        `back together with its log (memory.db-wal), or remove ${this.#file} to begin with what is there`,
    );
  }
}

/** Gives a folder an id, before it has a database: until then no service starts in it. */
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
  throw new StoreOpenError(`${path} does not hold the id of a data folder: restore it from a backup, or remove it`);
}

/** There is a whole file after a loss of power, or none. */
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
