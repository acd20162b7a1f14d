import type { Deps } from '../../deps.js';
import { SecretBoxError } from '../../domain/account/secret-box.js';
import { StoreOpenError } from '../../ports/store.js';

const TEXT = 'These are the keys of this store.';
const PLACE = 'memory-service canary';

type CanaryDeps = Pick<Deps, 'store' | 'secretBox'>;

/**
 * Makes sure that the keys at hand are those of the store, by a known text
 * that is kept sealed in it. A store that has none gets one.
 *
 * @throws {StoreOpenError} when none of the keys opens it
 */
export async function requireKeys({ store, secretBox }: CanaryDeps): Promise<void> {
  const canary = await store.canary.read();
  if (canary === undefined) {
    if (await store.canary.replace(undefined, secretBox.seal(TEXT, PLACE))) return;
    // Another server was faster, with the same keys or with others.
    return requireKeys({ store, secretBox });
  }
  if (!opensCanary(secretBox, canary)) {
    throw new StoreOpenError(
      'None of the encryption keys is one that this store was used with: put back the former key (encryption.key in the ' +
        'data folder, or SERVICE_ENCRYPTION_KEYS, where it may stand behind a new one), or, if it is lost for good, run ' +
        '"memory-reencrypt --lost-key"',
    );
  }
}

/** Seals the canary with the first key. False, with nothing changed, if no key at hand opens it. */
export async function rewrapCanary({ store, secretBox }: CanaryDeps): Promise<boolean> {
  const canary = await store.canary.read();
  if (canary === undefined) return true;
  if (!opensCanary(secretBox, canary)) return false;
  const next = secretBox.rewrap(canary, PLACE);
  if (next !== canary) await store.canary.replace(canary, next);
  return true;
}

/** Takes the keys at hand for those of the store. What others sealed stays unreadable. */
export async function acceptKeys({ store, secretBox }: CanaryDeps): Promise<void> {
  await store.canary.replace(await store.canary.read(), secretBox.seal(TEXT, PLACE));
}

/** Whether one of the keys at hand sealed a canary. */
export function opensCanary(secretBox: CanaryDeps['secretBox'], canary: string): boolean {
  try {
    return secretBox.open(canary, PLACE) === TEXT;
  } catch (error) {
    if (error instanceof SecretBoxError) return false;
    throw error;
  }
}
