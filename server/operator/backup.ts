import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import type { Config } from '../config/config.js';
import { encryptionKeyPath } from '../config/encryption-key.js';
import { StoreOpenError, StoreUnavailableError } from '../ports/store-errors.js';
import { backUpStore, restoreStore, verifyStoreBackup } from '../store-files.js';
import { UsageError } from './usage-error.js';

const USAGE = `Usage:
  memory-server backup DIR [--with-key]   copy the data folder into DIR, a new folder; the server may run
  memory-server verify DIR                compare a backup with its digests and check it for damage
  memory-server restore DIR               restore the data folder, which must be empty, from a backup

  --with-key   copy encryption.key too: the backup is then as secret as the data folder

The data folder is SERVICE_DATA_DIR.`;

/** Backs up the data folder, and prints a summary. @throws {UsageError} */
export async function backUpDataFolder(config: Config, args: readonly string[]): Promise<boolean> {
  const { folder, withKey } = readArguments(args, true);
  beNice();
  const options = { withKey, release: release() };
  const { memories } = await backUpStore(config, folder, options).catch((error: unknown) => {
    throw explained('The backup', error);
  });
  warnAboutKey(folder, withKey);
  console.log(`${folder} is a backup of ${memories} memories. Run "memory-server verify ${folder}" on it.`);
  return true;
}

/** Checks a backup for damage, and prints the result. Returns true if there is none. @throws {UsageError} */
export async function verifyBackup(args: readonly string[]): Promise<boolean> {
  const { folder } = readArguments(args, false);
  beNice();
  if (!(await isSound(folder))) return false;
  warnAboutKey(folder, existsSync(encryptionKeyPath(folder)));
  console.log(`${folder} is sound.`);
  return true;
}

/** Verifies a backup and restores the data folder from it. Returns true on success. @throws {UsageError} */
export async function restoreDataFolder(config: Config, args: readonly string[]): Promise<boolean> {
  const { folder } = readArguments(args, false);
  if (!(await isSound(folder))) return false;
  await restoreStore(config, folder).catch((error: unknown) => {
    throw explained('The restore', error);
  });
  if (config.encryptionKeys.length === 0 && !existsSync(encryptionKeyPath(config.dataDir))) {
    console.error(
      'WARNING: the backup has no encryption key. Put encryption.key into the data folder, or set SERVICE_ENCRYPTION_KEYS: ' +
        'the server does not start without the key. If it is lost for good, run "memory-reencrypt --lost-key".',
    );
  }
  console.log(`${config.dataDir} is restored from ${folder}. Start the server.`);
  return true;
}

async function isSound(folder: string): Promise<boolean> {
  let faults = 0;
  for await (const checked of verifyStoreBackup(folder)) {
    faults += checked.faults.length;
    if (checked.faults.length === 0) console.log(`ok       ${checked.what}`);
    for (const fault of checked.faults) console.error(`DAMAGED  ${checked.what}: ${fault}`);
  }
  if (faults > 0) console.error(`${folder} is not sound: use another backup.`);
  return faults === 0;
}

function warnAboutKey(folder: string, hasKey: boolean): void {
  console.error(
    hasKey
      ? `WARNING: ${folder} contains the encryption key. Protect it like the data folder: anyone who reads it can read ` +
          'every secret of a webhook.'
      : `WARNING: ${folder} does not contain the encryption key. Keep the key elsewhere: without it no server can start on ` +
          'the backup, and secrets of webhooks cannot be read.',
  );
}

function readArguments(args: readonly string[], takesKey: boolean): { folder: string; withKey: boolean } {
  const { positionals, values } = parse(args);
  const [folder, ...others] = positionals;
  const withKey = values['with-key'] ?? false;
  if (!folder || others.length > 0) throw new UsageError(`Name one folder.\n\n${USAGE}`);
  if (withKey && !takesKey) throw new UsageError(`Only backup accepts --with-key.\n\n${USAGE}`);
  return { folder, withKey };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { 'with-key': { type: 'boolean' } } });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/** Returns an error that prints without a stack if the operator can fix it. */
function explained(what: string, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error;
  if (!isOfSystem && !(error instanceof StoreUnavailableError)) return error;
  return new StoreOpenError(`${what} failed. Fix this and retry: ${error.message}`, { cause: error });
}

/** Lowers the priority of this process, so that a server on this machine is not slowed down. */
function beNice(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The system does not allow it.
  }
}

function release(): string {
  const { version } = createRequire(import.meta.url)('@memory-service/server/package.json') as { version: string };
  return version;
}
