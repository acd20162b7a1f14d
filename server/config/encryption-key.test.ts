import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from './config.js';
import { encryptionKeyPath, ownEncryptionKey } from './encryption-key.js';

test('creates a key of 32 bytes that only its owner may read, and keeps it', async () => {
  const dataDir = await folder();

  const made = await ownEncryptionKey(dataDir);

  expect(made).toHaveLength(32);
  expect(await ownEncryptionKey(dataDir)).toEqual(made);
  expect((await stat(encryptionKeyPath(dataDir))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['encryption.key']);
});

test('creates a different key for another folder', async () => {
  expect(await ownEncryptionKey(await folder())).not.toEqual(await ownEncryptionKey(await folder()));
});

test('does not replace a key that it cannot read, since what the key encrypted would be lost', async () => {
  const dataDir = await folder();
  await writeFile(encryptionKeyPath(dataDir), 'half a k');

  const failing = ownEncryptionKey(dataDir);

  await expect(failing).rejects.toThrow(ConfigError);
  await expect(failing).rejects.toThrow(/restore .*encryption\.key/);
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'memory-key-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
