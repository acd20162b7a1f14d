import { ALPHANUMERIC, BASE64URL, type CharacterClass, DIGIT, isAt, runLength } from './characters.js';
import type { Effort } from './effort.js';
import { KEY_FORMATS, type KeyFormat } from './key-formats.js';

const PRIVATE_KEY_START = '-----BEGIN ';
/** Maximum length of the rest of the line, for example `OPENSSH PRIVATE KEY BLOCK-----`. */
const PRIVATE_KEY_LINE = 48;

const TELEGRAM_MARK = ':AA';
const TELEGRAM_BODY = 33;
const TELEGRAM_ID = { min: 8, max: 10 };

/** Start of a JWT: `{"` in base64url, since header and claims are JSON objects. A JWT without a signature is no key. */
const TOKEN_START = /(?:^|[-_])eyJ/;
const TOKEN_CLAIMS = '.eyJ';
const MIN_SIGNATURE_LENGTH = 20;

/** Minimum length over all formats. Private keys and JWTs are longer. */
const MIN_KEY_LENGTH = Math.min(
  ...KEY_FORMATS.flatMap(({ prefixes, length }) => prefixes.map((prefix) => prefix.length + length.min)),
);

/** Visible ASCII characters in a row, as many as the shortest key has. */
const KEY_CHARACTERS = new RegExp(`[!-~]{${MIN_KEY_LENGTH}}`);

/** Matches any key. Composed by the first text, because that takes milliseconds of a start. */
let anyKey: RegExp | undefined;

/** Reports if a text contains an API key, access token or private key, by its form. */
export function hasApiKey(text: string, effort: Effort): boolean {
  // Most texts are short: keys and values of metadata.
  if (text.length < MIN_KEY_LENGTH) return false;
  if (hasPrivateKey(text, effort)) return true;
  return (
    KEY_CHARACTERS.test(text) &&
    ((mayHaveFormat(text) && KEY_FORMATS.some((format) => hasFormat(text, format, effort))) ||
      hasTelegramToken(text, effort) ||
      hasSignedToken(text, effort))
  );
}

/** Searches for a prefix and the least of a key after it. One pass takes less time than a search for each prefix. */
function mayHaveFormat(text: string): boolean {
  anyKey ??= new RegExp(
    KEY_FORMATS.map(({ prefixes, body, length }) => {
      return `(?:${prefixes.map(escaped).join('|')})[${membersOf(body)}]{${length.min}}`;
    }).join('|'),
  );
  return anyKey.test(text);
}

function hasFormat(text: string, format: KeyFormat, effort: Effort): boolean {
  return format.prefixes.some((prefix) =>
    someOccurrence(text, prefix, (at) => startsKey(text, at, prefix, format, effort)),
  );
}

function startsKey(text: string, at: number, prefix: string, { body, length }: KeyFormat, effort: Effort): boolean {
  // Inside a longer word, such as a hash or base64, a match is chance. A prefix with a dot is the middle of a key.
  if (!prefix.startsWith('.') && at > 0 && isAt(text, at - 1, ALPHANUMERIC)) return false;
  const most = length.max === undefined ? length.min : length.max + 1;
  const found = runLength(text, at + prefix.length, body, most);
  effort.spend(found + 1);
  return found >= length.min && (length.max === undefined || found <= length.max);
}

function hasPrivateKey(text: string, effort: Effort): boolean {
  return someOccurrence(text, PRIVATE_KEY_START, (at) => {
    effort.spend(1);
    const line = text.slice(at + PRIVATE_KEY_START.length, at + PRIVATE_KEY_START.length + PRIVATE_KEY_LINE);
    return line.includes('PRIVATE KEY');
  });
}

/** Detects the number of a bot, a colon, and 35 characters that begin with `AA`. */
function hasTelegramToken(text: string, effort: Effort): boolean {
  return someOccurrence(text, TELEGRAM_MARK, (at) => {
    let digits = 0;
    while (digits <= TELEGRAM_ID.max && isAt(text, at - 1 - digits, DIGIT)) digits += 1;
    const body = runLength(text, at + TELEGRAM_MARK.length, BASE64URL, TELEGRAM_BODY + 1);
    effort.spend(digits + body + 1);
    return digits >= TELEGRAM_ID.min && digits <= TELEGRAM_ID.max && body === TELEGRAM_BODY;
  });
}

/** Each run ends at a dot or before it, so no character is read more than three times. */
function hasSignedToken(text: string, effort: Effort): boolean {
  return someOccurrence(text, TOKEN_CLAIMS, (at) => {
    let start = at;
    while (isAt(text, start - 1, BASE64URL)) start -= 1;
    const end = at + 1 + runLength(text, at + 1, BASE64URL, text.length);
    const signature = text.charAt(end) === '.' ? runLength(text, end + 1, BASE64URL, MIN_SIGNATURE_LENGTH) : 0;
    effort.spend(end - start + signature + 1);
    return signature === MIN_SIGNATURE_LENGTH && TOKEN_START.test(text.slice(start, at));
  });
}

function someOccurrence(text: string, part: string, holds: (at: number) => boolean): boolean {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    if (holds(at)) return true;
  }
  return false;
}

/** Returns the members as the inside of a class of a regular expression. */
function membersOf(body: CharacterClass): string {
  return Array.from(body, (isMember, unit) => (isMember ? escaped(String.fromCharCode(unit)) : '')).join('');
}

function escaped(text: string): string {
  return text.replace(/\W/g, '\\$&');
}
