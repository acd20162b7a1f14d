import { createHash, randomBytes } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StoreOpenError } from '../../ports/store-errors.js';
import { type FileDigest, flush, readManifest, writeDurably } from './backup-files.js';
import { Connection } from './engine/connection.js';
import { DATABASE_FILE } from './engine/database.js';
import { nameFolder } from './engine/folder/folder-identity.js';
import { lockFolder } from './engine/folder/folder-lock.js';
import { isNamed, schemaVersion } from './engine/migrate.js';

const DRAFT = `${DATABASE_FILE}.restoring`;

/** Files that a folder without memories may contain: a key, the lock, those of a failed restore, and `lost+found`. */
const HARMLESS =
  /^(?:encryption\.key(?:\.new)?|memory\.id(?:\.new)?|memory\.lock(?:-journal)?|memory\.db\.restoring(?:-journal)?|lost\+found)$/;

/**
 * Creates a data folder with a new id from a verified backup.
 *
 * The id is written first, and the database gets its name last. No service
 * starts in a folder that has only one of them, so after a kill the restore
 * must be repeated.
 *
 * @param keyFile path of the data folder's encryption key
 * @throws {StoreOpenError} if the data folder is in use or not empty, or the backup changes meanwhile
 */
export async function restore(folder: string, dataDir: string, keyFile: string): Promise<void> {
  const { encryptionKey, files } = await readManifest(folder);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  requireEmpty(dataDir);
  const path = join(dataDir, DATABASE_FILE);
  const lock = lockFolder(dataDir, path);
  try {
    requireEmpty(dataDir);
    const key = encryptionKey === 'included' ? readFileSync(join(folder, basename(keyFile))) : undefined;
    if (key) requireSameKey(keyFile, key);
    const id = randomBytes(16).toString('hex');
    nameFolder(dataDir, id);
    if (key) writeDurably(keyFile, key);
    const draft = join(dataDir, DRAFT);
    // With an old journal, the engine would roll back the new copy.
    rmSync(`${draft}-journal`, { force: true });
    await copy(join(folder, DATABASE_FILE), draft, files[DATABASE_FILE]);
    giveId(draft, id);
    flush(draft);
    renameSync(draft, path);
    flush(dataDir);
    flush(dirname(dataDir));
  } finally {
    lock.close();
  }
}

function requireEmpty(dataDir: string): void {
  const found = readdirSync(dataDir).find((name) => !HARMLESS.test(name));
  if (found === undefined) return;
  throw new StoreOpenError(
    `The data folder ${dataDir} is not empty (${found}): set SERVICE_DATA_DIR to a new folder, or move its files away`,
  );
}

function requireSameKey(keyFile: string, key: Buffer): void {
  if (!existsSync(keyFile) || readFileSync(keyFile).equals(key)) return;
  throw new StoreOpenError(
    `${keyFile} contains a different key than the backup: move it away, then repeat the restore`,
  );
}

async function copy(from: string, to: string, expected: FileDigest | undefined): Promise<void> {
  const hash = createHash('sha256');
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(createReadStream(from), hashed, createWriteStream(to, { mode: 0o600 }));
  if (hash.digest('hex') === expected?.sha256) return;
  throw new StoreOpenError(`${from} changed since it was verified: verify the backup again`);
}

/** Writes a new id, since a mix of two folders with the same id would not be detected. */
function giveId(path: string, id: string): void {
  const connection = new Connection(path);
  try {
    if (isNamed(schemaVersion(connection))) connection.run('UPDATE identity SET folder = ?', id);
  } finally {
    connection.close();
  }
}
