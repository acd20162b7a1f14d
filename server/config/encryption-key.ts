import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ENCRYPTION_KEY_BYTES, parseEncryptionKey } from '../domain/account/secret-box.js';
import { ConfigError } from './config.js';

/** Where the key of a service outside production is kept, readable by its owner alone. */
export function encryptionKeyPath(dataDir: string): string {
  return join(dataDir, 'encryption.key');
}

/**
 * The key of the data folder, made where there is none yet. Of processes that
 * start at once, all get the same one.
 *
 * @throws {ConfigError} when the file holds something else
 */
export async function ownEncryptionKey(dataDir: string): Promise<Buffer> {
  return (await readKey(dataDir)) ?? makeKey(dataDir);
}

async function makeKey(dataDir: string): Promise<Buffer> {
  const path = encryptionKeyPath(dataDir);
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = await open(draft, 'w', 0o600);
    await file.writeFile(`${randomBytes(ENCRYPTION_KEY_BYTES).toString('base64')}\n`);
    // A secret encrypted with a key that a power cut takes away could never be read again.
    await file.sync();
    await file.close();
    await link(draft, path).catch(unlessThere);
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKey(dataDir);
  if (!key) throw new Error(`${path} vanished while it was made`);
  return key;
}

/** The key of the data folder; undefined where there is none. @throws {ConfigError} when the file holds something else */
export async function readKey(dataDir: string): Promise<Buffer | undefined> {
  const path = encryptionKeyPath(dataDir);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError([`mend ${path}: it cannot be read`], error);
  }
  const key = parseEncryptionKey(text.trim());
  if (!key) throw new ConfigError([`restore ${path}: it does not hold base64 of ${ENCRYPTION_KEY_BYTES} bytes`]);
  return key;
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
