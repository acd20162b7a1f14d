import { invalid } from '../invalid.js';

/** NFC sorts each run of combining marks in quadratic time, so runs are bounded before it sees them. */
const MAX_MARKS_IN_A_ROW = 30;

/** The most UTF-16 code units that NFC makes one code point of (U+16126 and U+16D6A in Unicode 17). */
const MAX_CODE_UNITS_PER_CODE_POINT = 6;

/**
 * UTF-16 code units that `stripMarks` normalizes at once. NFKD makes marks of characters that are none (U+FF9E), so
 * only the length of a piece bounds the runs that the engine sorts.
 */
const PIECE_LENGTH = 256;

/** Shorter parts of a text are copies in V8. */
const MIN_SLICE_LENGTH = 13;

const FIRST_MARK = 0x300;
const MARK = /^\p{M}$/u;
const MARKS = /\p{M}+/gu;
const EXCESS_MARKS = new RegExp(`(\\p{M}{${MAX_MARKS_IN_A_ROW}})\\p{M}+`, 'gu');
const NOT_ASCII = /[^\0-\x7f]/;
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;

interface TextRules {
  /** After NFC. */
  maxCodePoints: number;
  /** After NFC; 1 unless given. */
  minCodePoints?: number;
  /** Whether text of white space and invisible characters alone will do; it does not unless set. */
  allowBlank?: boolean;
  /** Error code of a refusal, `validation_failed` unless given. */
  code?: string;
}

/**
 * The text in NFC, its length counted in Unicode code points. Linear in the length of `raw`.
 *
 * @throws {UnprocessableError} at `path`, for text that is too short, too long or blank, and for what
 *   `assertStorable` refuses
 */
export function normalizeText(raw: string, path: string, rules: TextRules): string {
  const { maxCodePoints, minCodePoints = 1, allowBlank = false, code } = rules;
  const tooLong = () => invalid(path, `must be at most ${maxCodePoints} characters (Unicode code points)`, code);
  // NFC may shorten text, so only a length that it cannot bring under the limit is refused before it runs.
  if (raw.length > MAX_CODE_UNITS_PER_CODE_POINT * maxCodePoints) throw tooLong();
  assertStorable(raw, path, code);

  const text = raw.normalize('NFC');
  const length = countCodePoints(text);
  if (length > maxCodePoints) throw tooLong();
  if (length < minCodePoints) throw invalid(path, `must be at least ${minCodePoints} character(s)`, code);
  if (!allowBlank && !VISIBLE.test(text)) throw invalid(path, 'must hold more than white space', code);
  return text;
}

/**
 * Refuses text that cannot be stored faithfully or normalized quickly.
 *
 * @throws {UnprocessableError} at `path`, for lone surrogates, U+0000 and more than 30 combining marks in a row
 */
export function assertStorable(text: string, path: string, code?: string): void {
  let marks = 0;
  for (let index = 0; index < text.length; index += 1) {
    const codePoint = text.codePointAt(index) ?? 0;
    if (codePoint === 0) throw invalid(path, 'must not hold the character U+0000', code);
    if (isSurrogate(codePoint)) throw invalid(path, 'must be valid Unicode: it holds half of a surrogate pair', code);
    if (codePoint > 0xffff) index += 1;
    marks = isMark(codePoint) ? marks + 1 : 0;
    if (marks > MAX_MARKS_IN_A_ROW) {
      throw invalid(path, `must not hold more than ${MAX_MARKS_IN_A_ROW} combining marks in a row`, code);
    }
  }
}

/** The text without the marks that `assertStorable` would refuse: the first 30 of a run stay. */
export function dropExcessMarks(text: string): string {
  return text.replace(EXCESS_MARKS, '$1');
}

/**
 * The text in NFKD without combining marks: compatibility forms of a letter or digit become the plain one.
 *
 * Linear in the length of `text`: each piece is normalized alone. Pieces give what the whole gives, since NFKD only
 * takes characters apart and puts marks into an order, and no mark stays.
 *
 * @param maxLength in UTF-16 code units. NFKD makes up to 18 of one; the rest of the text is left out.
 */
export function stripMarks(text: string, maxLength: number): string {
  if (!NOT_ASCII.test(text)) return text.slice(0, maxLength);
  let stripped = '';
  for (let start = 0; start < text.length && stripped.length < maxLength; ) {
    const end = endOfPiece(text, start);
    stripped += text.slice(start, end).normalize('NFKD').replace(MARKS, '');
    start = end;
  }
  return stripped.slice(0, maxLength);
}

/** The same text in memory of its own: V8 keeps the whole of a text in memory for a longer part of it. */
export function copyText(text: string): string {
  if (text.length < MIN_SLICE_LENGTH) return text;
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function endOfPiece(text: string, start: number): number {
  const end = start + PIECE_LENGTH;
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

/** Half of a surrogate pair counts as one. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) index += 1;
    count += 1;
  }
  return count;
}

function isSurrogate(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff;
}

function isMark(codePoint: number): boolean {
  return codePoint >= FIRST_MARK && MARK.test(String.fromCodePoint(codePoint));
}
