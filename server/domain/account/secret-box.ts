import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** Bytes of an AES-256 key. */
export const ENCRYPTION_KEY_BYTES = 32;

const CIPHER = 'aes-256-gcm';
const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_NAME_LENGTH = 8;

/** A sealed text that no key at hand opens: the key is gone, or the text or its place was changed. */
export class SecretBoxError extends Error {
  override name = 'SecretBoxError';
}

/**
 * Encrypts what the service must be able to read again, such as the secrets
 * of webhooks, with AES-256-GCM. The first key encrypts and every key
 * decrypts, so a new key is put in front and the old one leaves when nothing
 * is sealed with it any more, which `rewrap` sees to.
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
   * @param place what the secret belongs to, for example the webhook and the organization; the same is needed to open it
   */
  seal(text: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(this.#first), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, this.#first, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** @throws {SecretBoxError} when the text was sealed with another key, for another place, or was changed */
  open(sealed: string, place: string): string {
    const [version, name = '', nonce = '', rest = '', ...more] = sealed.split('.');
    const bytes = Buffer.from(rest, 'base64url');
    if (version !== VERSION || more.length > 0 || bytes.length < TAG_BYTES) {
      throw new SecretBoxError('A stored secret is not in the form that this service writes');
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
   * A text sealed with the first key: the very same where that one sealed it, else one sealed anew.
   *
   * @throws {SecretBoxError} when it has to be opened and cannot be
   */
  rewrap(sealed: string, place: string): string {
    if (sealed.startsWith(`${VERSION}.${this.#first}.`)) return sealed;
    return this.seal(this.open(sealed, place), place);
  }

  /**
   * Keyed digests of a text, hex: one for each key, that of the first key first. Without a key nobody can tell what
   * was digested, even where there are few possible texts.
   *
   * @param place what the digests are for; the digests of one text for two places are unrelated
   */
  digests(text: string, place: string): string[] {
    return [...this.#keys.values()].map((key) => {
      // A key of its own, since this one encrypts.
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

/** Reads one key as it is written in SERVICE_ENCRYPTION_KEYS: base64 of exactly 32 bytes. Undefined for anything else. */
export function parseEncryptionKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  return key.length === ENCRYPTION_KEY_BYTES && key.toString('base64') === text ? key : undefined;
}

/** Tells keys apart and tells nothing else about them. */
function nameOf(key: Buffer): string {
  return createHash('sha256').update('memory-service key name').update(key).digest('hex').slice(0, KEY_NAME_LENGTH);
}
