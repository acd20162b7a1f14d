import { invalid } from '../invalid.js';
import { CodePointClass } from './code-point-class.js';

/** Maximum length of a run of combining marks. NFC sorts a run in quadratic time, so longer runs are rejected first. */
const MAX_MARKS_IN_A_ROW = 30;

/** Maximum number of UTF-16 code units that NFC joins to one code point (U+16126 and U+16D6A in Unicode 17). */
const MAX_CODE_UNITS_PER_CODE_POINT = 6;

/** Minimum length at which a substring in V8 refers to the whole text. Shorter ones are copies. */
const MIN_SLICE_LENGTH = 13;

const MARK = new CodePointClass(/^\p{M}$/u);
const EXCESS_MARKS = new RegExp(`(\\p{M}{${MAX_MARKS_IN_A_ROW}})\\p{M}+`, 'gu');
const NOT_ASCII = /[^\0-\x7f]/;
const SURROGATE = /[\ud800-\udfff]/;
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;

interface TextRules {
  /** Maximum length after NFC. */
  maxCodePoints: number;
  /** Minimum length after NFC. Default: 1. */
  minCodePoints?: number;
  /** True if the text may consist of white space and invisible characters. Default: false. */
  allowBlank?: boolean;
  /** Code of the error. Default: `validation_failed`. */
  code?: string;
}

/**
 * Normalizes a text to NFC and validates it. Takes linear time.
 *
 * @throws {UnprocessableError} at `path`, if the text is too short, too long or blank, or `assertStorable` rejects it
 */
export function normalizeText(raw: string, path: string, rules: TextRules): string {
  const { maxCodePoints, minCodePoints = 1, allowBlank = false, code } = rules;
  const tooLong = () => invalid(path, `must be at most ${maxCodePoints} characters (Unicode code points)`, code);
  // NFC may shorten the text. Before NFC, only a text that NFC cannot shorten enough is rejected.
  if (raw.length > MAX_CODE_UNITS_PER_CODE_POINT * maxCodePoints) throw tooLong();
  assertStorable(raw, path, code);

  const text = raw.normalize('NFC');
  const length = countCodePoints(text);
  if (length > maxCodePoints) throw tooLong();
  if (length < minCodePoints) {
    throw invalid(path, `must be at least ${minCodePoints} ${minCodePoints === 1 ? 'character' : 'characters'}`, code);
  }
  if (!allowBlank && !VISIBLE.test(text)) throw invalid(path, 'must contain more than white space', code);
  return text;
}

/**
 * Rejects text that cannot be stored exactly or normalized quickly.
 *
 * @throws {UnprocessableError} at `path`, for lone surrogates, U+0000 and more than 30 combining marks in a row
 */
export function assertStorable(text: string, path: string, code?: string): void {
  if (text.includes('\0')) throw invalid(path, 'must not contain the character U+0000', code);
  if (!text.isWellFormed()) {
    throw invalid(path, 'must be valid Unicode: it contains half of a surrogate pair', code);
  }
  if (NOT_ASCII.test(text) && hasExcessMarks(text)) {
    throw invalid(path, `must not contain more than ${MAX_MARKS_IN_A_ROW} combining marks in a row`, code);
  }
}

function hasExcessMarks(text: string): boolean {
  let marks = 0;
  for (let index = 0; index < text.length; index += 1) {
    const codePoint = text.codePointAt(index) ?? 0;
    if (codePoint > 0xffff) index += 1;
    marks = MARK.has(codePoint) ? marks + 1 : 0;
    if (marks > MAX_MARKS_IN_A_ROW) return true;
  }
  return false;
}

/** Removes the marks that `assertStorable` would reject. The first 30 of a run stay. */
export function dropExcessMarks(text: string): string {
  return text.replace(EXCESS_MARKS, '$1');
}

/** Copies a text. Otherwise V8 keeps the whole text in memory for a long substring of it. */
export function copyText(text: string): string {
  if (text.length < MIN_SLICE_LENGTH) return text;
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Counts half of a surrogate pair as one. */
export function countCodePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) index += 1;
    count += 1;
  }
  return count;
}
