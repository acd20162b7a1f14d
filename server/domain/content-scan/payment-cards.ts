import { DIGIT, isAt, runLength, WORD } from './characters.js';
import type { Effort } from './effort.js';

/** First digits of an issuer, as a range of numbers of equal length, and the lengths of its card numbers. */
interface Issuer {
  from: number;
  to: number;
  lengths: readonly number[];
}

const MAX_DIGITS = 19;
const FROM_16_TO_19 = [16, 17, 18, 19];
const FROM_13_TO_19 = [13, 14, 15, ...FROM_16_TO_19];

const ISSUERS: readonly Issuer[] = [
  // Visa
  { from: 4, to: 4, lengths: [13, 16, 19] },
  // Mastercard
  { from: 51, to: 55, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  // American Express
  { from: 34, to: 34, lengths: [15] },
  { from: 37, to: 37, lengths: [15] },
  // Diners Club
  { from: 300, to: 305, lengths: [14, 16] },
  { from: 36, to: 36, lengths: [14] },
  { from: 38, to: 39, lengths: [14, 16] },
  // Discover
  { from: 6011, to: 6011, lengths: FROM_16_TO_19 },
  { from: 644, to: 649, lengths: FROM_16_TO_19 },
  { from: 65, to: 65, lengths: FROM_16_TO_19 },
  // JCB
  { from: 3528, to: 3589, lengths: FROM_16_TO_19 },
  // UnionPay
  { from: 62, to: 62, lengths: FROM_16_TO_19 },
  // Mir
  { from: 2200, to: 2204, lengths: FROM_16_TO_19 },
  // Maestro
  { from: 5018, to: 5018, lengths: FROM_13_TO_19 },
  { from: 5020, to: 5020, lengths: FROM_13_TO_19 },
  { from: 5038, to: 5038, lengths: FROM_13_TO_19 },
  { from: 6304, to: 6304, lengths: FROM_13_TO_19 },
  { from: 6759, to: 6759, lengths: FROM_13_TO_19 },
  { from: 6761, to: 6763, lengths: FROM_13_TO_19 },
];

/** Number of first digits that identify the issuer. */
const LEAD_DIGITS = 4;

/** For each number of four digits, the bits of the lengths of card numbers that begin with it. */
const LENGTHS = lengthsByLead();

function lengthsByLead(): Uint32Array {
  const bits = new Uint32Array(10 ** LEAD_DIGITS);
  for (const { from, to, lengths } of ISSUERS) {
    const below = 10 ** (LEAD_DIGITS - String(from).length);
    for (let lead = from * below; lead < (to + 1) * below; lead += 1) {
      for (const length of lengths) bits[lead] = (bits[lead] ?? 0) | (1 << length);
    }
  }
  return bits;
}

const ZERO = '0'.charCodeAt(0);

/**
 * Groups in which people write card numbers, as their numbers of digits. Other groups of digits are dates, versions and
 * lists of numbers.
 */
const GROUPINGS = new Set([4444, 44443, 4441, 465, 464]);
/** Matches the beginning of every card number. */
const FOUR_DIGITS = /\d{4}/g;
const MAX_GROUPS = 5;
const MAX_GROUP_DIGITS = 6;
const SEPARATORS = new Set(Array.from(' -.\u00a0\u202f', (separator) => separator.charCodeAt(0)));

/**
 * Number of digits of a barcode (EAN-13). One in ten barcodes that begin like a card number also has a valid check
 * digit, and few cards have 13 digits. Without separators, they therefore count only near a word for a card.
 */
const BARCODE_LENGTH = 13;
const CARD_WORD = /\bcards?\b|visa|maestro|kreditkarte|\bcarte\b|\bcarta\b|cartão|tarjeta|карт|カード|卡/iu;
/** UTF-16 code units before and after a number in which such a word counts. */
const CARD_WORD_DISTANCE = 40;

/** Reports if a text contains a card number: an issuer's first digits, its length, and a valid check digit. */
export function hasPaymentCard(text: string, effort: Effort): boolean {
  for (let at = 0; at < text.length; ) {
    FOUR_DIGITS.lastIndex = at;
    if (!FOUR_DIGITS.test(text)) return false;
    const start = FOUR_DIGITS.lastIndex - LEAD_DIGITS;
    const length = runLength(text, start, DIGIT, text.length);
    effort.spend(start - at + length + 1);
    if (startsCard(text, start, length, effort)) return true;
    at = start + length + 1;
  }
  return false;
}

function startsCard(text: string, at: number, length: number, effort: Effort): boolean {
  if (!canStart(text, at)) return false;
  if (length > 4) {
    const isFound = canEnd(text, at + length) && isCard(text, at, at + length, length, effort);
    return isFound && (length !== BARCODE_LENGTH || isCalledCard(text, at, effort));
  }
  return length === 4 && SEPARATORS.has(text.charCodeAt(at + 4)) && startsGroups(text, at, effort);
}

function isCalledCard(text: string, at: number, effort: Effort): boolean {
  effort.spend(2 * CARD_WORD_DISTANCE);
  return CARD_WORD.test(text.slice(Math.max(0, at - CARD_WORD_DISTANCE), at + BARCODE_LENGTH + CARD_WORD_DISTANCE));
}

/** Reports if the groups of digits from `at`, all split by the same separator, begin with those of a card number. */
function startsGroups(text: string, at: number, effort: Effort): boolean {
  // Most numbers of four digits begin no card.
  if (lengthsFrom(text, at) === 0) return false;
  const separator = text.charCodeAt(at + LEAD_DIGITS);
  let [groups, digits, end] = [0, 0, at];
  for (let count = 1; count <= MAX_GROUPS; count += 1) {
    const length = runLength(text, end, DIGIT, MAX_GROUP_DIGITS + 1);
    effort.spend(length + 1);
    groups = 10 * groups + length;
    digits += length;
    end += length;
    if (GROUPINGS.has(groups) && canEnd(text, end) && isCard(text, at, end, digits, effort)) return true;
    if (length === 0 || text.charCodeAt(end) !== separator) return false;
    end += 1;
  }
  return false;
}

/** Reports if a number can start here: not inside a longer word or a fraction. */
function canStart(text: string, at: number): boolean {
  if (isAt(text, at - 1, WORD)) return false;
  return !(text.charAt(at - 1) === '.' && isAt(text, at - 2, DIGIT));
}

function canEnd(text: string, at: number): boolean {
  if (isAt(text, at, WORD)) return false;
  return !(text.charAt(at) === '.' && isAt(text, at + 1, DIGIT));
}

/** Returns the bits of the lengths of card numbers that begin with the four digits at `at`. */
function lengthsFrom(text: string, at: number): number {
  let lead = 0;
  for (let index = at; index < at + LEAD_DIGITS; index += 1) lead = 10 * lead + text.charCodeAt(index) - ZERO;
  return LENGTHS[lead] ?? 0;
}

/** Reports if a text from `at` to `end` is a card number of `length` digits, which separators may split. */
function isCard(text: string, at: number, end: number, length: number, effort: Effort): boolean {
  if (length > MAX_DIGITS || (lengthsFrom(text, at) & (1 << length)) === 0) return false;
  effort.spend(length);
  return passesLuhn(text, at, end);
}

/** Verifies the check digit of ISO/IEC 7812: with every second digit from the right doubled, the sum ends in 0. */
function passesLuhn(text: string, start: number, end: number): boolean {
  let sum = 0;
  let isDoubled = false;
  for (let at = end - 1; at >= start; at -= 1) {
    if (!isAt(text, at, DIGIT)) continue;
    const digit = text.charCodeAt(at) - ZERO;
    const weighed = isDoubled ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
    isDoubled = !isDoubled;
  }
  return sum % 10 === 0;
}
