import { hash } from 'node:crypto';

const NOT_ASCII = /[^\0-\x7f]/;
const WHITE_SPACE = /\p{White_Space}+/u;
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

// Written without spaces around them, so they part words; but beside a digit they may be part of a number.
const IDEOGRAPHIC_MARK = /(?<!\p{N})[、。，．；：！「」『』《》〈〉【】（）](?!\p{N})/gu;

const QUOTES = '"\'\\p{Pi}\\p{Pf}';
const OPENING = new RegExp(`^[${QUOTES}\\p{Ps}¡¿]$`, 'u');
const CLOSING = new RegExp(`^[${QUOTES}\\p{Pe}!]$`, 'u');
const SENTENCE_MARK = /^[.,;:…،؛۔।॥。]$/u;
const NUMERIC = /^[\p{N}\p{S}]$/u;
const DASH = /\p{Pd}/gu;
/** Most words: there is nothing to take away. */
const PLAIN = /^\w+$/;
const DOT_NAME = /^\.{1,2}$/;

const CODE = /[\p{N}_/\\=+&%~@#]/u;
const UPPER_AFTER_FIRST = /.\p{Lu}/su;
const LOWER = /\p{Ll}/u;
const ENDS_IN_DIGIT = /\p{N}$/u;
/** mW and MW, Mb and MB, after a number also m and M. */
const UNIT = /^(?![ap]m$)[nmkgtp]?[bwavsgmk]$/i;
const MIXED_PAIR = /^(?:[a-z][A-Z]|[A-Z][a-z])$/;

/**
 * What is left of a content when case, white space and the punctuation of
 * prose are taken away. Contents that fold alike are merged without further
 * questions, so whatever may carry meaning stays: signs, marks inside a word
 * or a number, question marks, case where upper and lower are mixed in a
 * token that looks like code, and of units. Content that holds nothing else
 * folds to itself.
 *
 * @param content as `normalizeContent` gave it
 * @param tokens `splitTokens` of it, where they are known
 */
export function foldContent(content: string, tokens: readonly string[] = splitTokens(content)): string {
  return tokens.length === 0 ? content : tokens.map((token, index) => foldCase(token, tokens[index - 1])).join(' ');
}

/**
 * A hash that contents have in common exactly when they fold alike. Half of SHA-256 is enough to merge by.
 *
 * @param tokens `splitTokens` of the content, where they are known
 */
export function hashFold(content: string, tokens?: readonly string[]): string {
  return hash('sha256', foldContent(content, tokens), 'hex').slice(0, HASH_DIGITS);
}

const HASH_DIGITS = 32;

/** The words of a content, in their own case, without the punctuation of prose. */
export function splitTokens(content: string): string[] {
  const shown = NOT_ASCII.test(content) ? content.replace(IDEOGRAPHIC_MARK, ' ').replace(INVISIBLE, '') : content;
  const pieces = shown.split(WHITE_SPACE);
  return pieces.map(trimToken).filter((token) => token !== '');
}

/** A token of `splitTokens` without its case, unless that may carry meaning. */
export function foldCase(token: string, previous = ''): string {
  const isCode = CODE.test(token) && UPPER_AFTER_FIRST.test(token) && LOWER.test(token);
  const isUnit = UNIT.test(token) && (MIXED_PAIR.test(token) || ENDS_IN_DIGIT.test(previous));
  return isCode || isUnit ? token : token.toLowerCase();
}

function trimToken(token: string): string {
  if (PLAIN.test(token) || DOT_NAME.test(token)) return token;
  const characters = Array.from(token);
  let start = 0;
  let end = characters.length;
  while (start < end && isOpening(characters[start], characters[start + 1])) start += 1;
  while (end > start && isClosing(characters[end - 1], characters[end - 2])) end -= 1;
  return characters.slice(start, end).join('').replace(DASH, '-').replaceAll('’', "'");
}

// Beside a digit or a sign, brackets, quotes and exclamation marks may count: (500), 5'10", 5!, f"$x".
function isOpening(mark = '', next = ''): boolean {
  return OPENING.test(mark) && !NUMERIC.test(next);
}

function isClosing(mark = '', previous = ''): boolean {
  return SENTENCE_MARK.test(mark) || (CLOSING.test(mark) && !NUMERIC.test(previous));
}
