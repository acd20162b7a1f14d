import { createHash } from 'node:crypto';
import { invalid } from './invalid.js';
import { countCodePoints, normalizeText } from './unicode.js';

export { countCodePoints } from './unicode.js';

const PATH = 'content';

/**
 * The content as it is stored: in NFC, white space and case untouched.
 *
 * @param maxCodePoints counted after NFC
 * @throws {UnprocessableError} at `content`, when it is blank, too long, or not storable text
 */
export function normalizeContent(raw: string, maxCodePoints: number): string {
  return normalizeText(raw, PATH, { maxCodePoints });
}

/**
 * The cap once more, for the writer, whatever path the content came by.
 *
 * @throws {UnprocessableError} at `content`
 */
export function assertContentLength(content: string, maxCodePoints: number): void {
  if (content.length <= maxCodePoints || countCodePoints(content) <= maxCodePoints) return;
  throw invalid(PATH, `must be at most ${maxCodePoints} characters (Unicode code points)`);
}

/** SHA-256 of the UTF-8 bytes, in hex. Contents are the same exactly when these are. */
export function hashContent(content: string): string {
  return createHash('sha256').update(content, 'utf8').digest('hex');
}

/** `hashContent` of the folded content. */
export function hashFoldedContent(content: string): string {
  return hashContent(foldContent(content));
}

/**
 * What is left of a content when case, white space and the punctuation of
 * prose are taken away. Contents that fold alike are merged without further
 * questions, so whatever may carry meaning stays: signs, marks inside a word
 * or a number, question marks, case where upper and lower are mixed in a
 * token that looks like code. Content that holds nothing else folds to itself.
 */
export function foldContent(content: string): string {
  const tokens = content.replace(IDEOGRAPHIC_MARK, ' ').replace(INVISIBLE, '').split(WHITE_SPACE);
  const folded = tokens
    .map(foldToken)
    .filter((token) => token !== '')
    .join(' ');
  return folded === '' ? content : folded;
}

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
const DOT_NAME = /^\.{1,2}$/;

function foldToken(token: string): string {
  if (DOT_NAME.test(token)) return token;
  const characters = Array.from(token);
  let start = 0;
  let end = characters.length;
  while (start < end && isOpening(characters[start], characters[start + 1])) start += 1;
  while (end > start && isClosing(characters[end - 1], characters[end - 2])) end -= 1;
  return foldCase(characters.slice(start, end).join('')).replace(DASH, '-').replaceAll('’', "'");
}

// Beside a digit or a sign, brackets, quotes and exclamation marks may count: (500), 5'10", 5!, f"$x".
function isOpening(mark = '', next = ''): boolean {
  return OPENING.test(mark) && !NUMERIC.test(next);
}

function isClosing(mark = '', previous = ''): boolean {
  return SENTENCE_MARK.test(mark) || (CLOSING.test(mark) && !NUMERIC.test(previous));
}

const CODE = /[\p{N}_/\\=+&%~@#]/u;
const UPPER_AFTER_FIRST = /.\p{Lu}/su;
const LOWER = /\p{Ll}/u;

function foldCase(token: string): string {
  const isCaseSensitive = CODE.test(token) && UPPER_AFTER_FIRST.test(token) && LOWER.test(token);
  // Lower case of Σ depends on its place in the word, and the place on punctuation.
  return isCaseSensitive ? token : token.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
