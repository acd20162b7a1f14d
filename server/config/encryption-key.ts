import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ENCRYPTION_KEY_BYTES, parseEncryptionKey } from '../domain/account/secret-box.js';
import { ConfigError } from './config.js';

/** Returns the path of the generated key, which only its owner may read. Production has no such key. */
export function encryptionKeyPath(dataDir: string): string {
  return join(dataDir, 'encryption.key');
}

/**
 * Returns the key of the data folder, and creates it if there is none. Processes that start at once get the same key.
 *
 * @throws {ConfigError} when the file does not contain a key
 */
export async function ownEncryptionKey(dataDir: string): Promise<Buffer> {
  return readKey(dataDir) ?? makeKey(dataDir);
}

async function makeKey(dataDir: string): Promise<Buffer> {
  const path = encryptionKeyPath(dataDir);
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = await open(draft, 'w', 0o600);
    await file.writeFile(`${randomBytes(ENCRYPTION_KEY_BYTES).toString('base64')}\n`);
    // Without this, a power cut could remove a key that secrets are already encrypted with.
    await file.sync();
    await file.close();
    await link(draft, path).catch(unlessThere);
  } finally {
    await rm(draft, { force: true });
  }
  const key = readKey(dataDir);
  if (!key) throw new Error(`${path} was removed while it was created`);
  return key;
}

/**
 * Returns the key of the data folder, or undefined if there is none. A start waits for it, and would wait some milliseconds
 * for other threads to read it.
 *
 * @throws {ConfigError} when the file is invalid
 */
export function readKey(dataDir: string): Buffer | undefined {
  const path = encryptionKeyPath(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError([`fix ${path}: it cannot be read`], error);
  }
  const key = parseEncryptionKey(text.trim());
  if (!key) throw new ConfigError([`restore ${path}: it does not contain base64 of ${ENCRYPTION_KEY_BYTES} bytes`]);
  return key;
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
