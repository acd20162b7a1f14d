import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** Size of an AES-256 key. */
export const ENCRYPTION_KEY_BYTES = 32;

const CIPHER = 'aes-256-gcm';
const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_NAME_LENGTH = 8;

/** A stored secret cannot be decrypted: its key is missing, or the text or its place was changed. */
export class SecretBoxError extends Error {
  override name = 'SecretBoxError';
}

/**
 * Encrypts data that the service must read again, such as the secrets of webhooks, with AES-256-GCM. The first key
 * encrypts and every key decrypts. To change the key, put the new one first, `rewrap` every stored text, and then
 * remove the old key.
 */
export class SecretBox {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #first: string;

  /** @param keys of 32 bytes, at least one */
  constructor(keys: readonly Buffer[]) {
    const named = keys.map((key) => [nameOf(key), key] as const);
    const [first] = named;
    if (!first) throw new Error('A secret box needs at least one key');
    this.#first = first[0];
    this.#keys = new Map(named);
  }

  /**
   * Encrypts a text: `v1.<key name>.<nonce>.<ciphertext and tag>`, in base64url.
   *
   * @param place owner of the secret, such as webhook and organization; `open` requires the same
   */
  seal(text: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(this.#first), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, this.#first, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** @throws {SecretBoxError} if the key is unknown, the place is another, or the text was changed */
  open(sealed: string, place: string): string {
    const [version, name = '', nonce = '', rest = '', ...more] = sealed.split('.');
    const bytes = Buffer.from(rest, 'base64url');
    if (version !== VERSION || more.length > 0 || bytes.length < TAG_BYTES) {
      throw new SecretBoxError('A stored secret does not have the form that this service writes');
    }
    try {
      const decipher = createDecipheriv(CIPHER, this.#key(name), Buffer.from(nonce, 'base64url'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch (error) {
      if (error instanceof SecretBoxError) throw error;
      throw new SecretBoxError('A stored secret was changed, or belongs to something else', { cause: error });
    }
  }

  /**
   * Returns the text encrypted with the first key; unchanged if it already is.
   *
   * @throws {SecretBoxError} if a text of another key cannot be decrypted
   */
  rewrap(sealed: string, place: string): string {
    if (sealed.startsWith(`${VERSION}.${this.#first}.`)) return sealed;
    return this.seal(this.open(sealed, place), place);
  }

  /**
   * Returns keyed digests of a text, hex: one per key, in the order of the keys. Without the key, trying all possible
   * texts does not reveal the text.
   *
   * @param place purpose of the digests; digests of one text for two places are unrelated
   */
  digests(text: string, place: string): string[] {
    return [...this.#keys.values()].map((key) => {
      // The digest has its own key, because `key` encrypts.
      const own = createHmac('sha256', key).update('memory-service digest key').digest();
      return createHmac('sha256', own)
        .update(JSON.stringify([place, text]))
        .digest('hex');
    });
  }

  #key(name: string): Buffer {
    const key = this.#keys.get(name);
    if (!key) {
      throw new SecretBoxError('A stored secret was encrypted with a key that is not in SERVICE_ENCRYPTION_KEYS');
    }
    return key;
  }
}

/** Parses one key of SERVICE_ENCRYPTION_KEYS: base64 of exactly 32 bytes. Returns undefined for any other text. */
export function parseEncryptionKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  return key.length === ENCRYPTION_KEY_BYTES && key.toString('base64') === text ? key : undefined;
}

/** Returns a name that identifies a key without revealing it. */
function nameOf(key: Buffer): string {
  return createHash('sha256').update('memory-service key name').update(key).digest('hex').slice(0, KEY_NAME_LENGTH);
}
