import { type Config, ConfigError } from './config/config.js';
import { encryptionKeyPath, readKey } from './config/encryption-key.js';
import { SecretBox } from './domain/account/secret-box.js';
import { opensCanary } from './services/upkeep/canary.js';

interface Checked {
  what: string;
  faults: readonly string[];
}

/**
 * Checks the files of the embedded store for damage, also while a service uses them.
 *
 * @throws {ConfigError} for another store
 */
export async function* checkStore(config: Config): AsyncGenerator<Checked> {
  const { dataDir, encryptionKeys: given } = config;
  requireEmbedded(config, 'check MongoDB with its own `validate` command');
  const own = given.length > 0 ? undefined : readKey(dataDir);
  const keys = own ? [own] : given;
  const { checkDataFolder } = await import('./adapters/sqlite/check.js');
  yield* checkDataFolder(dataDir, opener(keys));
}

/**
 * Copies the embedded store into a new folder, also while a service uses it.
 *
 * @param release version of the package
 * @throws {ConfigError} for another store, or if the key is requested and is not in the data folder
 * @throws {StoreOpenError}
 */
export async function backUpStore(
  config: Config,
  folder: string,
  { withKey, release }: { withKey: boolean; release: string },
): Promise<{ memories: number }> {
  requireEmbedded(config, 'docs/backup.md says how to back up MongoDB');
  const { dataDir } = config;
  const key = withKey ? readKey(dataDir) : undefined;
  if (withKey && !key) {
    throw new ConfigError([
      `omit --with-key: there is no ${encryptionKeyPath(dataDir)}. Back up SERVICE_ENCRYPTION_KEYS yourself`,
    ]);
  }
  const { backUp } = await import('./adapters/sqlite/backup.js');
  const { counts } = await backUp(dataDir, folder, {
    keyFile: key && encryptionKeyPath(dataDir),
    opensCanary: opener(key ? [key] : []),
    release,
    takenAt: new Date(),
  });
  return { memories: counts.memories ?? 0 };
}

/** Compares a backup with its digests and checks it for damage. Writes nothing. */
export async function* verifyStoreBackup(folder: string): AsyncGenerator<Checked> {
  const key = readKey(folder);
  const { verifyBackup } = await import('./adapters/sqlite/verify-backup.js');
  yield* verifyBackup(folder, key && opener([key]));
}

/**
 * Restores the data folder, which must be empty, from a verified backup.
 *
 * @throws {ConfigError} for another store
 * @throws {StoreOpenError}
 */
export async function restoreStore(config: Config, folder: string): Promise<void> {
  requireEmbedded(config, 'docs/backup.md says how to restore MongoDB');
  const { restore } = await import('./adapters/sqlite/restore.js');
  await restore(folder, config.dataDir, encryptionKeyPath(config.dataDir));
}

function requireEmbedded({ store }: Config, otherwise: string): void {
  if (store.kind === 'mongodb') throw new ConfigError([`set SERVICE_STORE to sqlite: ${otherwise}`]);
}

function opener(keys: readonly Buffer[]): (canary: string) => boolean {
  return (canary) => keys.length > 0 && opensCanary(new SecretBox(keys), canary);
}
