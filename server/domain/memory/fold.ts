import { hash } from 'node:crypto';

const NOT_ASCII = /[^\0-\x7f]/;
const WHITE_SPACE = /\p{White_Space}+/u;
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

// Written without spaces around them, so they part words; but beside a digit they may be part of a number.
const IDEOGRAPHIC_MARK = /(?<!\p{N})[、。，．；：！](?!\p{N})/gu;
const IDEOGRAPHIC_BRACKET = /(?<!\p{N})[「」『』《》〈〉【】（）](?!\p{N})/gu;

const QUOTES = '"\'\\p{Pi}\\p{Pf}';
const OPENING = new RegExp(`^[${QUOTES}\\p{Ps}¡¿]$`, 'u');
const QUOTE = new RegExp(`[${QUOTES}]`, 'u');
const CLOSING = new RegExp(`^[${QUOTES}\\p{Pe}!]$`, 'u');
/** The token of a mark between two words. Which mark it is changes nothing, that there is one may. */
export const BREAK = ',';
/** After these a mark changes nothing. */
const NEEDS_NO_BREAK =
  /^(?:hello|hi|however|therefore|also|finally|currently|usually|today|tomorrow|yesterday|moreover|mr|mrs|ms|dr|prof|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\d{1,2}(?::\d\d)?[ap]m|\d{1,2}:\d\d)$/i;
const SENTENCE_MARK = /^[.,;:…،؛۔।॥。]$/u;
const NUMERIC = /^[\p{N}\p{S}]$/u;
const DASH = /\p{Pd}/gu;
/** Most words: there is nothing to take away. */
const PLAIN = /^\w+$/;
const DOT_NAME = /^\.{1,2}$/;

/** Capitalized or not, these are other words: names of months, countries and tools, and what they are called after. */
const NAMES_LIKE_WORDS = new Set(
  (
    'march may polish turkey china apple windows word excel teams slack go swift rust python java ruby bill mark will ' +
    'rose august mercury amazon oracle access outlook chrome edge node express react spring flask notion linear signal ' +
    'zoom meta target shell gap square stripe job pat frank art grace hope faith joy dawn drew jack nick sue rob chase ' +
    'hunter reading nice bath buffalo jersey cologne orange catholic'
  ).split(' '),
);
/** Abbreviations that in lower case are words. Those of one or two letters are all taken for such. */
const ABBREVIATIONS = new Set(
  'WHO AIDS PIN RAM CAT SAT ACT MAC ICE MAD TIP SIM DOS BAR COP POP BASIC SWIFT VAT NOW MIT TEN'.split(' '),
);
const SHORT_UPPER = /^\p{Lu}{1,2}$/u;
/** An underscore or a sign that names begin with in code. */
const NAME_IN_CODE = /^[$@]|_/;
const CODE = /[\p{N}_/\\=+&%~@#]/u;
const HYPHEN = /[-'‐’]/u;
const UPPER = /\p{Lu}/u;
/** Words of one letter that a sentence may begin with. */
const STARTING = /^[AI]$/;
const TIME_OF_DAY = /^\d{1,2}(?::\d\d)?[AaPp][Mm]$/;
const UPPER_AFTER_FIRST = /.\p{Lu}/su;
const LOWER = /\p{Ll}/u;
const ENDS_IN_DIGIT = /\p{N}$/u;
/** mW and MW, Mb and MB, after a number also m and M. */
const HALF_OF_DAY = /^[ap]m$/i;
const UNIT = /^(?![ap]m$)[nmkgtp]?[bwavsgmk]$/i;
const MIXED_PAIR = /^(?:[a-z][A-Z]|[A-Z][a-z])$/;

/**
 * What is left of a content when case, white space and the punctuation of
 * prose are taken away. Contents that fold alike are merged without further
 * questions, so whatever may carry meaning stays: signs, marks inside a word
 * or a number, question marks, a comma between two words, and the case of
 * names in code, of abbreviations, of single letters, of units, and of words
 * that are a name when capitalized. Content that holds nothing else folds to
 * itself.
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

/** The words of a content, in their own case, and `BREAK` for the punctuation of prose between two of them. */
export function splitTokens(content: string): string[] {
  const shown = NOT_ASCII.test(content)
    ? content.replace(IDEOGRAPHIC_MARK, `${BREAK} `).replace(IDEOGRAPHIC_BRACKET, ' ').replace(INVISIBLE, '')
    : content;
  const tokens: string[] = [];
  const known = new Map<string, Piece>();
  for (const text of shown.split(WHITE_SPACE)) {
    const piece = PLAIN.test(text) ? undefined : (known.get(text) ?? readPiece(text));
    if (piece) known.set(text, piece);
    const token = piece ? piece.token : text;
    if (token !== '') tokens.push(token);
    const last = tokens.at(-1);
    if (piece?.endsInMark && last !== undefined && last !== BREAK && !NEEDS_NO_BREAK.test(last)) {
      tokens.push(BREAK);
    }
  }
  if (tokens.at(-1) === BREAK) tokens.pop();
  return tokens;
}

/** What stands between white space, other than a plain word. */
interface Piece {
  token: string;
  endsInMark: boolean;
}

function readPiece(text: string): Piece {
  const token = trimToken(text);
  return { token, endsInMark: endsInMark(text, token) };
}

/** Whether the piece that a token was trimmed from ends in a mark. After a quotation it changes nothing. */
function endsInMark(piece: string, token: string): boolean {
  if (piece === token) return false;
  const characters = Array.from(piece);
  let end = characters.length;
  let hasMark = false;
  while (end > 0 && isClosing(characters[end - 1], characters[end - 2])) {
    const mark = characters[end - 1] as string;
    if (SENTENCE_MARK.test(mark) || mark === '!') hasMark = true;
    else if (hasMark && QUOTE.test(mark)) return false;
    end -= 1;
  }
  return hasMark;
}

/** A token of `splitTokens` without its case, unless that may carry meaning. `previous` is empty at the start. */
export function foldCase(token: string, previous = ''): string {
  return keepsCase(token, previous) ? token : token.toLowerCase();
}

function keepsCase(token: string, previous: string): boolean {
  if (!UPPER.test(token) || TIME_OF_DAY.test(token)) return false;
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
