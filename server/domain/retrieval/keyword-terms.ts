import { stemmer } from 'stemmer';
import { CodePointClass } from '../text/code-point-class.js';
import { unitsOf } from '../text/code-units.js';
import { PieceCache } from '../text/piece-cache.js';
import { stripMarksAndCase } from '../text/strip-marks.js';
import { copyText } from '../text/unicode.js';
import { segmentsOf } from './segments.js';

const REGIONAL_INDICATOR = new CodePointClass(/\p{Regional_Indicator}/u);
const PICTOGRAPH = new CodePointClass(/\p{Extended_Pictographic}/u);
const LETTER_OR_DIGIT = new CodePointClass(/[\p{L}\p{N}]/u);
const MAX_TERM_LENGTH = 64;

/**
 * Limits on the words and characters that are indexed per text; `ALWAYS` is allowed for every text. Plain text of any
 * script with spaces never reaches them: NFKD makes at most three characters of one, a Hangul syllable. Characters that
 * stand for whole phrases do, such as U+FDFA, and long texts without spaces. Of such texts, the first words are indexed.
 */
const WORDS_PER_CODE_UNIT = 0.5;
const LENGTH_PER_CODE_UNIT = 4;
const ALWAYS = { words: 1_000, length: 20_000 };
/** Segments that are indexed of any text without spaces, one for each code unit. */
const MAX_SEGMENTS = 25_000;

const LAST_ASCII = 0x7f;
const FIRST_LATIN = 'a'.charCodeAt(0);
const LAST_LATIN = 'z'.charCodeAt(0);
const MAX_KNOWN_STEMS = 50_000;

/**
 * Returns the words of a text for the keyword index: without accents and case, stemmed as English, in the order of the
 * text, with repeats. Returns at most half as many as the text has UTF-16 code units, or as many up to 25,000, or 1,000.
 */
export function termsOf(text: string): string[] {
  const most = Math.max(
    ALWAYS.words,
    Math.ceil(text.length * WORDS_PER_CODE_UNIT),
    Math.min(text.length, MAX_SEGMENTS),
  );
  const shown = shownOf(text);
  const pieces = new PieceCache(shown);
  /** The terms of words that are not of ASCII alone. */
  let known: Map<string, readonly string[]> | undefined;
  const terms: string[] = [];
  for (let at = 0; at < shown.length && terms.length < most; ) {
    const endOfAscii = endOfAsciiRun(shown, at);
    if (endOfAscii !== undefined) {
      if (isAsciiWordUnit(shown.charCodeAt(at))) terms.push(termOf(pieces.slice(at, endOfAscii)));
      at = endOfAscii;
      continue;
    }
    const end = endOfWord(shown, at);
    if (end === at) {
      at += unitsOf(shown.codePointAt(at) ?? 0);
      continue;
    }
    const word = pieces.slice(at, end);
    let own = known?.get(word);
    if (own === undefined) {
      own = segmentsOf(word, 'document', most).map(termOf);
      known ??= new Map();
      known.set(word, own);
    }
    for (const term of own) terms.push(term);
    at = end;
  }
  return terms.length > most ? terms.slice(0, most) : terms;
}

/** A word of a query and its terms in the index. */
export interface QueryWord {
  word: string;
  terms: readonly string[];
  /** Term of the whole word, for contents that an earlier release indexed without segments. */
  formerTerm: string | undefined;
}

export function queryWordsOf(text: string): QueryWord[] {
  return Array.from(wordsOf(text), (word) => {
    const terms = segmentsOf(word, 'query').map(termOf);
    const whole = termOf(word);
    return { word, terms, formerTerm: terms.includes(whole) ? undefined : whole };
  });
}

/** Returns the words of a text: flags, pictographs, and runs of letters and digits. */
function* wordsOf(text: string): Generator<string> {
  const shown = shownOf(text);
  for (let at = 0; at < shown.length; ) {
    const end = endOfWord(shown, at);
    if (end > at) yield shown.slice(at, end);
    at = Math.max(end, at + unitsOf(shown.codePointAt(at) ?? 0));
  }
}

function shownOf(text: string): string {
  return stripMarksAndCase(text, Math.max(ALWAYS.length, text.length * LENGTH_PER_CODE_UNIT));
}

/**
 * Returns the end of the word that begins at `start`, or of the character if none does. Returns undefined if they are not
 * of ASCII alone. Most words are, and those are not cut into segments.
 */
function endOfAsciiRun(text: string, start: number): number | undefined {
  let end = start;
  while (isAsciiWordUnit(text.charCodeAt(end))) end += 1;
  if (end < text.length && text.charCodeAt(end) > LAST_ASCII) return undefined;
  return end === start ? start + 1 : end;
}

/** Reports if a code unit is an ASCII letter or digit. */
function isAsciiWordUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a);
}

/** Returns the end of the word that begins at `start`, or `start` if none does. */
function endOfWord(text: string, start: number): number {
  const first = text.codePointAt(start) ?? 0;
  const next = start + unitsOf(first);
  if (REGIONAL_INDICATOR.has(first)) {
    const second = text.codePointAt(next) ?? 0;
    return REGIONAL_INDICATOR.has(second) ? next + unitsOf(second) : start;
  }
  if (PICTOGRAPH.has(first)) return next;
  let end = start;
  while (end < text.length) {
    const codePoint = text.codePointAt(end) ?? 0;
    if (!LETTER_OR_DIGIT.has(codePoint)) break;
    end += unitsOf(codePoint);
  }
  return end;
}

/** Cache of stems. */
const knownStems = new Map<string, string>();

function termOf(segment: string): string {
  return stemOf(segment.length > MAX_TERM_LENGTH ? segment.slice(0, MAX_TERM_LENGTH) : segment);
}

function stemOf(word: string): string {
  if (!hasLatin(word)) return word;
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const key = copyText(word);
  const stem = stemmer(key);
  if (knownStems.size >= MAX_KNOWN_STEMS) knownStems.clear();
  knownStems.set(key, stem);
  return stem;
}

/** A loop, because a regular expression takes longer for a text of a few characters. */
function hasLatin(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    if (unit >= FIRST_LATIN && unit <= LAST_LATIN) return true;
  }
  return false;
}
