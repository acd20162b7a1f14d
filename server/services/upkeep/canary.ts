import type { Deps } from '../../deps.js';
import { SecretBoxError } from '../../domain/account/secret-box.js';
import { StoreOpenError } from '../../ports/store-errors.js';

const TEXT = 'These are the keys of this store.';
const PLACE = 'memory-service canary';

type CanaryDeps = Pick<Deps, 'store' | 'secretBox'>;

/**
 * Rejects keys that are not those of the store. The check opens a known text that the store keeps sealed. A store
 * without that text gets one.
 *
 * @throws {StoreOpenError} if no configured key opens it
 */
export async function requireKeys({ store, secretBox }: CanaryDeps): Promise<void> {
  const canary = await store.canary.read();
  if (canary === undefined) {
    if (await store.canary.replace(undefined, secretBox.seal(TEXT, PLACE))) return;
    // Another server stored its canary first, with the same keys or with other ones.
    return requireKeys({ store, secretBox });
  }
  if (!opensCanary(secretBox, canary)) {
    throw new StoreOpenError(
      'No configured encryption key opens this store: put back the former key (encryption.key in the ' +
        'data folder, or SERVICE_ENCRYPTION_KEYS, where it may follow a new one). If it is lost for good, run ' +
        '"memory-reencrypt --lost-key"',
    );
  }
}

/** Seals the canary with the first key. Returns false and changes nothing if no configured key opens it. */
export async function rewrapCanary({ store, secretBox }: CanaryDeps): Promise<boolean> {
  const canary = await store.canary.read();
  if (canary === undefined) return true;
  if (!opensCanary(secretBox, canary)) return false;
  const next = secretBox.rewrap(canary, PLACE);
  if (next !== canary) await store.canary.replace(canary, next);
  return true;
}

/** Makes the configured keys those of the store. Texts that other keys sealed stay unreadable. */
export async function acceptKeys({ store, secretBox }: CanaryDeps): Promise<void> {
  await store.canary.replace(await store.canary.read(), secretBox.seal(TEXT, PLACE));
}

/** Reports if one of the configured keys opens a canary. */
export function opensCanary(secretBox: CanaryDeps['secretBox'], canary: string): boolean {
  try {
    return secretBox.open(canary, PLACE) === TEXT;
  } catch (error) {
    if (error instanceof SecretBoxError) return false;
    throw error;
  }
}
