import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StoreOpenError } from '../../ports/store-errors.js';
import {
  type BackupManifest,
  countRows,
  digestOf,
  type FileDigest,
  flush,
  readManifest,
  writeDurably,
  writeManifest,
} from './backup-files.js';
import { readCanary } from './engine/canary-row.js';
import { Connection } from './engine/connection.js';
import { DATABASE_FILE } from './engine/database.js';
import { FolderIdentity } from './engine/folder/folder-identity.js';
import { LOCK_FILE, lockFolder } from './engine/folder/folder-lock.js';
import { isNamed, schemaVersion } from './engine/migrate.js';
import { pageFault, tablesOf } from './engine/page-check.js';

export interface BackupOptions {
  /** File with the encryption key, which is copied too. */
  keyFile: string | undefined;
  /** Reports if the key in that file encrypted a canary. */
  opensCanary: (canary: string) => boolean;
  /** Version of the package. */
  release: string;
  takenAt: Date;
}

/**
 * Copies a consistent state of the database into a new folder. A service may
 * write meanwhile: its log grows until the copy is complete.
 *
 * The folder gets its name when it is complete. Until then its name is
 * `<folder>.unfinished`. After a kill, the next backup removes that folder.
 *
 * @throws {StoreOpenError} if the database cannot be copied, or the folder is not empty
 */
export async function backUp(dataDir: string, folder: string, options: BackupOptions): Promise<BackupManifest> {
  const path = join(dataDir, DATABASE_FILE);
  const identity = new FolderIdentity(dataDir, path);
  identity.requireDatabase();
  if (!existsSync(path)) throw new StoreOpenError(`There is nothing to back up: ${path} does not exist`);
  const target = resolve(folder);
  claim(target);

  const draft = `${target}.unfinished`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  const lock = lockFolder(draft, join(draft, DATABASE_FILE));
  try {
    empty(draft, target);
    await fill(draft, path, identity, options);
    renameSync(draft, target);
    flush(dirname(target));
  } finally {
    lock.close();
  }
  for (const name of [LOCK_FILE, `${LOCK_FILE}-journal`]) rmSync(join(target, name), { force: true });
  return readManifest(target);
}

async function fill(draft: string, path: string, identity: FolderIdentity, options: BackupOptions): Promise<void> {
  try {
    copyDatabase(path, join(draft, DATABASE_FILE), identity);
    await describe(draft, options);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Throws if the folder exists and is not empty. Removes an empty one. */
function claim(target: string): void {
  try {
    rmdirSync(target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    const fault = code === 'EBUSY' ? 'is in use by the system' : 'is not an empty folder';
    throw new StoreOpenError(`${target} ${fault}: choose a folder that does not exist yet`, { cause: error });
  }
}

/** Removes only the files of an interrupted backup. */
function empty(draft: string, target: string): void {
  const left = readdirSync(draft).filter((name) => !name.startsWith(LOCK_FILE));
  const foreign = left.find((name) => !/^(?:memory\.db|encryption\.key|backup\.json)(?:-journal|\.new)?$/.test(name));
  if (foreign !== undefined) {
    throw new StoreOpenError(`${join(draft, foreign)} is not from a backup: remove it, or choose another folder`);
  }
  for (const name of left) rmSync(join(draft, name));
  if (existsSync(target)) throw new StoreOpenError(`${target} was created meanwhile: choose another folder`);
}

/** Copies with VACUUM, which reads in one transaction and copies no bytes of deleted content. */
function copyDatabase(path: string, copy: string, identity: FolderIdentity): void {
  closeSync(openSync(copy, 'wx', 0o600));
  const source = new Connection(path, { readOnly: true });
  try {
    source.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
    const difference = isNamed(schemaVersion(source)) ? identity.difference(source) : undefined;
    if (difference !== undefined) throw new StoreOpenError(difference);
    source.run('VACUUM INTO ?', copy);
  } finally {
    source.close();
  }
  flush(copy);
}

async function describe(draft: string, { keyFile, opensCanary, release, takenAt }: BackupOptions): Promise<void> {
  const copy = join(draft, DATABASE_FILE);
  const connection = new Connection(copy, { readOnly: true });
  let about: Pick<BackupManifest, 'schema' | 'counts'>;
  try {
    const schema = schemaVersion(connection);
    requireSound(connection);
    const canary = isNamed(schema) ? readCanary(connection) : undefined;
    if (keyFile !== undefined && canary !== undefined && !opensCanary(canary)) {
      throw new StoreOpenError(
        `${keyFile} does not contain the key of this store: put the key back, then repeat the backup`,
      );
    }
    about = { schema, counts: countRows(connection) };
  } finally {
    connection.close();
  }
  const files: Record<string, FileDigest> = { [DATABASE_FILE]: await digestOf(copy) };
  if (keyFile !== undefined) {
    const keyCopy = join(draft, basename(keyFile));
    writeDurably(keyCopy, await readFile(keyFile));
    files[basename(keyFile)] = await digestOf(keyCopy);
  }
  const encryptionKey = keyFile === undefined ? 'absent' : 'included';
  writeManifest(draft, { release, takenAt: takenAt.toISOString(), encryptionKey, ...about, files });
}

function requireSound(connection: Connection): void {
  for (const table of tablesOf(connection)) {
    const fault = pageFault(connection, table);
    if (fault !== undefined) {
      throw new StoreOpenError(
        `The copy is damaged (table ${table}: ${fault}): run "memory-server check" on the data folder`,
      );
    }
  }
}
