import { DIGIT, isAt, runLength, WORD } from './characters.js';
import type { Effort } from './effort.js';

/** Which first digits an issuer has, as a range of numbers of equal length, and how long its card numbers are. */
interface Issuer {
  from: number;
  to: number;
  lengths: readonly number[];
}

const MAX_LENGTH = 19;
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

/** How people write card numbers in groups. Other groups of digits are dates, versions and rows of numbers. */
const GROUPINGS: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 4, 4, 1],
  [4, 6, 5],
  [4, 6, 4],
];
const SEPARATORS = [' ', '-', '.', '\u00a0', '\u202f'];

/** Whether a text holds a number in the form of a payment card's: an issuer's first digits and length, and the check digit. */
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
  if (length > 4) return canEnd(text, at + length) && isCard(text.slice(at, at + length), effort);
  return length === 4 && GROUPINGS.some((grouping) => isGrouped(text, at, grouping, effort));
}

function isGrouped(text: string, at: number, grouping: readonly number[], effort: Effort): boolean {
  const separator = text.charAt(at + 4);
  if (!SEPARATORS.includes(separator)) return false;
  let digits = '';
  let next = at;
  for (const length of grouping) {
    if (digits !== '' && text.charAt(next++) !== separator) return false;
    const found = runLength(text, next, DIGIT, length + 1);
    effort.spend(found + 1);
    if (found !== length) return false;
    digits += text.slice(next, next + length);
    next += length;
  }
  return canEnd(text, next) && isCard(digits, effort);
}

/** A piece of a longer word or of a fraction is no number of its own. */
function canStart(text: string, at: number): boolean {
  if (isAt(text, at - 1, WORD)) return false;
  return !(text.charAt(at - 1) === '.' && isAt(text, at - 2, DIGIT));
}

function canEnd(text: string, at: number): boolean {
  if (isAt(text, at, WORD)) return false;
  return !(text.charAt(at) === '.' && isAt(text, at + 1, DIGIT));
}

function isCard(digits: string, effort: Effort): boolean {
  if (digits.length > MAX_LENGTH || !ISSUERS.some((issuer) => isOf(issuer, digits))) return false;
  effort.spend(digits.length);
  return passesLuhn(digits);
}

function isOf({ from, to, lengths }: Issuer, digits: string): boolean {
  const first = Number(digits.slice(0, String(from).length));
  return first >= from && first <= to && lengths.includes(digits.length);
}

/** The check of ISO/IEC 7812: from the right, every second digit doubled, the sum of all digits divisible by ten. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight++) {
    const digit = Number(digits.charAt(digits.length - 1 - fromRight));
    const weighed = fromRight % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}
