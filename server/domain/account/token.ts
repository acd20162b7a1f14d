import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'msk_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Creates an access token: `msk_`, 190 random bits and a checksum, in base 62. */
export function createToken(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Reports if a text has the form and checksum of a token. Other texts are not searched for in the store. */
export function isWellFormedToken(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return text.endsWith(checksum(secret));
}

/** Returns the SHA-256 of a token, hex. Only this is stored. */
export function digestToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Returns the ends of a token, by which people recognize it. */
export function describeToken(token: string): { prefix: string; lastFour: string } {
  return { prefix: token.slice(0, PREFIX.length + 4), lastFour: token.slice(-4) };
}

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
