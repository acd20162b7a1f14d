import { isUtf8 } from 'node:buffer';
import { BadRequestError, UnprocessableError } from '../../errors.js';
import { assertNoNull } from './null-character.js';

const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses a JSON text.
 *
 * @throws {BadRequestError} for what is not JSON in UTF-8
 * @param checkedLater path of a member in which whoever reads it refuses U+0000
 * @throws {UnprocessableError} for more than 32 levels, before they are parsed, and for U+0000 in a string or key
 */
export function parseJson(bytes: Buffer, checkedLater?: string): unknown {
  if (isTooDeep(bytes)) throw new UnprocessableError(`The body must be nested at most ${MAX_DEPTH} levels deep`);
  if (!isUtf8(bytes)) throw new BadRequestError('The body is not UTF-8');
  const value = parse(bytes);
  assertNoNull(bytes, value, checkedLater);
  return value;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new BadRequestError('The body is not valid JSON');
  }
}

/** Brackets outside of strings; the bytes of other characters are never those of ASCII in UTF-8. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let index = 0;
  while (index < bytes.length) {
    const byte = bytes[index];
    index += 1;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Behind the closing quote of the string that `index` is in. */
function endOfString(bytes: Buffer, index: number): number {
  let quote = bytes.indexOf(QUOTE, index);
  while (quote >= 0 && isEscaped(bytes, quote, index)) quote = bytes.indexOf(QUOTE, quote + 1);
  return quote < 0 ? bytes.length : quote + 1;
}

/** Whether an odd number of backslashes stands before a quote of the string that begins at `start`. */
function isEscaped(bytes: Buffer, quote: number, start: number): boolean {
  let at = quote;
  while (at > start && bytes[at - 1] === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 1;
}
