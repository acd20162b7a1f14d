import { hash } from 'node:crypto';
import { CodePointClass } from './code-point-class.js';
import { PieceCache } from './piece-cache.js';
import { BREAK, separateWords } from './separate-words.js';

const LAST_ASCII = 0x7f;
const [FIRST_UPPER, LAST_UPPER] = [0x41, 0x5a];
const WHITE_SPACE = new CodePointClass(/\p{White_Space}/u);

const QUOTES = '"\'\\p{Pi}\\p{Pf}';
const OPENING = new RegExp(`^[${QUOTES}\\p{Ps}¡¿]$`, 'u');
const QUOTE = new RegExp(`[${QUOTES}]`, 'u');
const CLOSING = new RegExp(`^[${QUOTES}\\p{Pe}!]$`, 'u');
/** Words after which a mark never changes the meaning. */
const NEEDS_NO_BREAK =
  /^(?:hello|hi|however|therefore|also|finally|currently|usually|today|tomorrow|yesterday|moreover|mr|mrs|ms|dr|prof|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\d{1,2}(?::\d\d)?[ap]m|\d{1,2}:\d\d)$/i;
const SENTENCE_MARK = /^[.,;:…،؛۔।॥。]$/u;
const NUMERIC = /^[\p{N}\p{S}]$/u;
const DASH = /\p{Pd}/gu;
/** Matches most words, which have no punctuation to remove. */
const PLAIN = /^\w+$/;
const DOT_NAME = /^\.{1,2}$/;

/** Words that have another meaning if capitalized: names of months, people, countries and tools. */
const NAMES_LIKE_WORDS = new Set(
  (
    'march may polish turkey china apple windows word excel teams slack go swift rust python java ruby bill mark will ' +
    'rose august mercury amazon oracle access outlook chrome edge node express react spring flask notion linear signal ' +
    'zoom meta target shell gap square stripe job pat frank art grace hope faith joy dawn drew jack nick sue rob chase ' +
    'hunter reading nice bath buffalo jersey cologne orange catholic'
  ).split(' '),
);
/** Abbreviations that are words in lower case. All those of one or two letters count as abbreviations. */
const ABBREVIATIONS = new Set(
  'WHO AIDS PIN RAM CAT SAT ACT MAC ICE MAD TIP SIM DOS BAR COP POP BASIC SWIFT VAT NOW MIT TEN'.split(' '),
);
const SHORT_UPPER = /^\p{Lu}{1,2}$/u;
/** Matches an underscore, or a sign at the start of a name in code. */
const NAME_IN_CODE = /^[$@]|_/;
const CODE = /[\p{N}_/\\=+&%~@#]/u;
const HYPHEN = /[-'‐’]/u;
const UPPER = new CodePointClass(/\p{Lu}/u);
/** Words of one letter at the start of a sentence. */
const STARTING = /^[AI]$/;
const TIME_OF_DAY = /^\d{1,2}(?::\d\d)?[AaPp][Mm]$/;
const UPPER_AFTER_FIRST = /.\p{Lu}/su;
const LOWER = /\p{Ll}/u;
const ENDS_IN_DIGIT = /\p{N}$/u;
/** Units whose case matters: mW and MW, Mb and MB; after a number also m and M. */
const HALF_OF_DAY = /^[ap]m$/i;
const UNIT = /^(?![ap]m$)[nmkgtp]?[bwavsgmk]$/i;
const MIXED_PAIR = /^(?:[a-z][A-Z]|[A-Z][a-z])$/;

/**
 * Removes case, white space and the punctuation of prose from content. Contents with the same result are merged without
 * further checks. Everything that may change the meaning therefore stays: signs, marks inside a word or number,
 * question marks, a comma between two words, and the case of names in code, abbreviations, single letters, units, and
 * words that are names if capitalized. Content that would become empty stays unchanged.
 *
 * @param content result of `normalizeContent`
 * @param tokens `splitTokens` of the content, if known
 */
export function foldContent(content: string, tokens: readonly string[] = splitTokens(content)): string {
  if (tokens.length === 0) return content;
  let known: Map<string, string> | undefined;
  let folded = '';
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string;
    let lower = isLowerAscii(token) ? token : known?.get(token);
    if (lower === undefined && UPPER.firstIn(token) === -1) {
      lower = token.toLowerCase();
      known ??= new Map();
      known.set(token, lower);
    }
    folded += (index === 0 ? '' : ' ') + (lower ?? foldCase(token, tokens[index - 1]));
  }
  return folded;
}

/** Reports if a token is of ASCII, without capital letters. Most are, and stay as they are. */
function isLowerAscii(token: string): boolean {
  for (let at = 0; at < token.length; at += 1) {
    const unit = token.charCodeAt(at);
    if (unit > LAST_ASCII || (unit >= FIRST_UPPER && unit <= LAST_UPPER)) return false;
  }
  return true;
}

/**
 * Returns a hash that is equal for contents with equal `foldContent`. Half of a SHA-256 is enough to identify them.
 *
 * @param tokens `splitTokens` of the content, if known
 */
export function hashFold(content: string, tokens?: readonly string[]): string {
  return hash('sha256', foldContent(content, tokens), 'hex').slice(0, HASH_DIGITS);
}

const HASH_DIGITS = 32;

/** Splits content into words, in their own case, with `BREAK` for the punctuation of prose between two words. */
export function splitTokens(content: string): string[] {
  const text = separateWords(content);
  const pieces = new PieceCache(text);
  const known = new Map<string, Piece>();
  const tokens: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start);
    if (end > start) addPiece(tokens, pieces.slice(start, end), known);
    start = end + 1;
  }
  if (tokens.at(-1) === BREAK) tokens.pop();
  return tokens;
}

/** Returns the index of the next white space. */
function endOfPiece(text: string, start: number): number {
  let end = start;
  while (end < text.length && !WHITE_SPACE.has(text.charCodeAt(end))) end += 1;
  return end;
}

function addPiece(tokens: string[], text: string, known: Map<string, Piece>): void {
  if (PLAIN.test(text)) {
    tokens.push(text);
    return;
  }
  let piece = known.get(text);
  if (piece === undefined) {
    piece = readPiece(text);
    known.set(text, piece);
  }
  if (piece.token !== '') tokens.push(piece.token);
  if (!piece.endsInMark) return;
  const last = tokens[tokens.length - 1];
  if (last !== undefined && last !== BREAK && !NEEDS_NO_BREAK.test(last)) tokens.push(BREAK);
}

/** A text between white space that is not a plain word. */
interface Piece {
  token: string;
  endsInMark: boolean;
}

function readPiece(text: string): Piece {
  const token = trimToken(text);
  return { token, endsInMark: endsInMark(text, token) };
}

/** Reports if a piece ends in a mark that was trimmed from its token. A mark after a closing quote does not count. */
function endsInMark(piece: string, token: string): boolean {
  if (piece === token) return false;
  let end = piece.length;
  let hasMark = false;
  while (end > 0) {
    const mark = characterBefore(piece, end);
    if (!isClosing(mark, characterBefore(piece, end - mark.length))) break;
    if (SENTENCE_MARK.test(mark) || mark === '!') hasMark = true;
    else if (hasMark && QUOTE.test(mark)) return false;
    end -= mark.length;
  }
  return hasMark;
}

/** Lower-cases a token of `splitTokens`, unless its case may change the meaning. `previous` is empty at the start. */
export function foldCase(token: string, previous = ''): string {
  return keepsCase(token, previous) ? token : token.toLowerCase();
}

function keepsCase(token: string, previous: string): boolean {
  if (UPPER.firstIn(token) === -1 || TIME_OF_DAY.test(token)) return false;
  if (isNameInCode(token) || ABBREVIATIONS.has(token)) return true;
  if (!UPPER_AFTER_FIRST.test(token) && NAMES_LIKE_WORDS.has(token.toLowerCase())) return true;
  return isUnit(token, previous) || isShortName(token, previous);
}

function isNameInCode(token: string): boolean {
  if (NAME_IN_CODE.test(token)) return true;
  const parts = CODE.test(token) ? [token] : token.split(HYPHEN);
  return parts.some((part) => UPPER_AFTER_FIRST.test(part) && LOWER.test(part));
}

function isUnit(token: string, previous: string): boolean {
  return UNIT.test(token) && (MIXED_PAIR.test(token) || ENDS_IN_DIGIT.test(previous));
}

function isShortName(token: string, previous: string): boolean {
  if (!SHORT_UPPER.test(token) || (ENDS_IN_DIGIT.test(previous) && HALF_OF_DAY.test(token))) return false;
  return !(STARTING.test(token) && (previous === '' || previous === BREAK));
}

function trimToken(token: string): string {
  if (DOT_NAME.test(token)) return token;
  let start = 0;
  while (start < token.length) {
    const mark = characterAt(token, start);
    if (!isOpening(mark, characterAt(token, start + mark.length))) break;
    start += mark.length;
  }
  let end = token.length;
  while (end > start) {
    const mark = characterBefore(token, end);
    if (!isClosing(mark, characterBefore(token, end - mark.length))) break;
    end -= mark.length;
  }
  return token.slice(start, end).replace(DASH, '-').replaceAll('’', "'");
}

/** Returns the character that begins at a code unit; empty at the end. */
function characterAt(text: string, at: number): string {
  return (text.codePointAt(at) ?? 0) > 0xffff ? text.slice(at, at + 2) : text.charAt(at);
}

/** Returns the character that ends before a code unit; empty at the start. */
function characterBefore(text: string, end: number): string {
  return (text.codePointAt(end - 2) ?? 0) > 0xffff ? text.slice(end - 2, end) : text.charAt(end - 1);
}

// Next to a digit or a sign, brackets, quotes and exclamation marks may have a meaning: (500), 5'10", 5!, f"$x".
function isOpening(mark = '', next = ''): boolean {
  return OPENING.test(mark) && !NUMERIC.test(next);
}

function isClosing(mark = '', previous = ''): boolean {
  return SENTENCE_MARK.test(mark) || (CLOSING.test(mark) && !NUMERIC.test(previous));
}
