import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseEncryptionKey, SecretBox, SecretBoxError } from './secret-box.js';

const PLACE = 'organization-1|webhook-1';

describe('SecretBox', () => {
  test('decrypts every text that it encrypted', () => {
    const box = new SecretBox([randomBytes(32)]);

    const texts = ['whsec_abc', '', 'é😀\u0000', 'x'.repeat(10_000)];

    expect(texts.map((text) => box.open(box.seal(text, PLACE), PLACE))).toEqual(texts);
  });

  test('hides the text, and encrypts the same text differently each time', () => {
    const box = new SecretBox([randomBytes(32)]);

    const sealed = Array.from({ length: 100 }, () => box.seal('a secret to keep', PLACE));

    expect(new Set(sealed).size).toBe(100);
    expect(sealed.filter((text) => Buffer.from(text.split('.')[3]!, 'base64url').includes('secret'))).toEqual([]);
  });

  test('encrypts with the first key and decrypts with every key', () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const sealedBefore = new SecretBox([old]).seal('kept', PLACE);

    const rotated = new SecretBox([fresh, old]);

    expect(rotated.open(sealedBefore, PLACE)).toBe('kept');
    expect(new SecretBox([fresh]).open(rotated.seal('new', PLACE), PLACE)).toBe('new');
  });

  test('rewraps a text of another key, and returns a text of the first key unchanged', () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const sealedBefore = new SecretBox([old]).seal('kept', PLACE);
    const rotated = new SecretBox([fresh, old]);

    const rewrapped = rotated.rewrap(sealedBefore, PLACE);

    expect(new SecretBox([fresh]).open(rewrapped, PLACE)).toBe('kept');
    expect(rotated.rewrap(rewrapped, PLACE)).toBe(rewrapped);
    expect(() => new SecretBox([fresh]).rewrap(sealedBefore, PLACE)).toThrow('SERVICE_ENCRYPTION_KEYS');
    expect(() => rotated.rewrap(sealedBefore, 'organization-2|webhook-1')).toThrow(SecretBoxError);
  });

  test('names the setting that lacks the key', () => {
    const sealed = new SecretBox([randomBytes(32)]).seal('lost', PLACE);

    const other = new SecretBox([randomBytes(32)]);

    expect(() => other.open(sealed, PLACE)).toThrow(SecretBoxError);
    expect(() => other.open(sealed, PLACE)).toThrow('SERVICE_ENCRYPTION_KEYS');
  });

  test('rejects a secret that was moved to another place', () => {
    const box = new SecretBox([randomBytes(32)]);
    const sealed = box.seal('of webhook 1', PLACE);

    expect(() => box.open(sealed, 'organization-2|webhook-1')).toThrow(SecretBoxError);
  });

  test('rejects a text in which any character was changed or removed', () => {
    const box = new SecretBox([randomBytes(32)]);
    const sealed = box.seal('whsec_untouched', PLACE);
    const changed = [...sealed].map(
      (character, at) => sealed.slice(0, at) + (character === 'A' ? 'w' : 'A') + sealed.slice(at + 1),
    );
    const cut = [...sealed].map((_, at) => sealed.slice(0, at));

    const opened = [...changed, ...cut, `${sealed}.`, '', '...'].filter((text) => {
      try {
        // The last character of base64 may have unused bits.
        return box.open(text, PLACE) !== 'whsec_untouched';
      } catch (error) {
        return !(error instanceof SecretBoxError);
      }
    });

    expect(opened).toEqual([]);
  });

  test('requires a key', () => {
    expect(() => new SecretBox([])).toThrow('at least one key');
  });

  test('returns one digest per key, different for each place', () => {
    const [first, former] = [randomBytes(32), randomBytes(32)];
    const box = new SecretBox([first, former]);

    const digests = box.digests('203.0.113.9', 'a purpose');

    expect(digests).toHaveLength(2);
    expect(digests).toEqual([
      ...new SecretBox([first]).digests('203.0.113.9', 'a purpose'),
      ...new SecretBox([former]).digests('203.0.113.9', 'a purpose'),
    ]);
    expect(new Set([...digests, ...box.digests('203.0.113.9', 'another'), ...box.digests('', 'a purpose')]).size).toBe(
      6,
    );
  });
});

describe('parseEncryptionKey', () => {
  test('accepts only the base64 of 32 bytes', () => {
    const key = randomBytes(32);
    const text = key.toString('base64');

    expect(parseEncryptionKey(text)).toEqual(key);
    const refused = ['', 'secret', randomBytes(31).toString('base64'), key.toString('hex'), `${text}=`, ` ${text}`];
    expect(refused.map(parseEncryptionKey)).toEqual(refused.map(() => undefined));
  });
});
