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

/** The same ranges, extended to four digits. */
const RANGES: readonly Issuer[] = ISSUERS.map(({ from, to, lengths }) => {
  const below = 10 ** (LEAD_DIGITS - String(from).length);
  return { from: from * below, to: (to + 1) * below - 1, lengths };
});

const ZERO = '0'.charCodeAt(0);

/** Groups in which people write card numbers. Other groups of digits are dates, versions and lists of numbers. */
const GROUPINGS: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 4, 4, 1],
  [4, 6, 5],
  [4, 6, 4],
];
const MAX_GROUPS = 5;
const MAX_GROUP_DIGITS = 6;
const SEPARATORS = [' ', '-', '.', '\u00a0', '\u202f'];

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
    const length = isAt(text, at, DIGIT) ? runLength(text, at, DIGIT, text.length) : 0;
    effort.spend(length + 1);
    if (length > 0 && startsCard(text, at, length, effort)) return true;
    at += length + 1;
  }
  return false;
}

function startsCard(text: string, at: number, length: number, effort: Effort): boolean {
  if (!canStart(text, at)) return false;
  if (length > 4) {
    const isFound = canEnd(text, at + length) && isCard(text.slice(at, at + length), effort);
    return isFound && (length !== BARCODE_LENGTH || isCalledCard(text, at, effort));
  }
  return length === 4 && SEPARATORS.includes(text.charAt(at + 4)) && startsGroups(text, at, effort);
}

function isCalledCard(text: string, at: number, effort: Effort): boolean {
  effort.spend(2 * CARD_WORD_DISTANCE);
  return CARD_WORD.test(text.slice(Math.max(0, at - CARD_WORD_DISTANCE), at + BARCODE_LENGTH + CARD_WORD_DISTANCE));
}

function startsGroups(text: string, at: number, effort: Effort): boolean {
  const separator = text.charAt(at + 4);
  const groups = groupsFrom(text, at, separator, effort);
  return GROUPINGS.some((grouping) => {
    if (!grouping.every((length, place) => groups[place] === length)) return false;
    const end = at + grouping.reduce((sum, length) => sum + length, grouping.length - 1);
    return canEnd(text, end) && isCard(text.slice(at, end).replaceAll(separator, ''), effort);
  });
}

/** Returns the lengths of the groups of digits from `at` that `separator` splits, up to the limits of a card. */
function groupsFrom(text: string, at: number, separator: string, effort: Effort): number[] {
  const groups: number[] = [];
  let next = at;
  while (groups.length < MAX_GROUPS) {
    const length = runLength(text, next, DIGIT, MAX_GROUP_DIGITS + 1);
    effort.spend(length + 1);
    if (length === 0) break;
    groups.push(length);
    next += length + 1;
    if (text.charAt(next - 1) !== separator) break;
  }
  return groups;
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

function isCard(digits: string, effort: Effort): boolean {
  if (digits.length > MAX_DIGITS) return false;
  const lead = Number(digits.slice(0, LEAD_DIGITS));
  const isIssued = RANGES.some(
    ({ from, to, lengths }) => lead >= from && lead <= to && lengths.includes(digits.length),
  );
  if (!isIssued) return false;
  effort.spend(digits.length);
  return passesLuhn(digits);
}

/** Verifies the check digit of ISO/IEC 7812: with every second digit from the right doubled, the sum ends in 0. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight++) {
    const digit = digits.charCodeAt(digits.length - 1 - fromRight) - ZERO;
    const weighed = fromRight % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}
