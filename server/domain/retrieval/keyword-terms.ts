import { stemmer } from 'stemmer';
import { copyText, stripMarks } from '../memory/unicode.js';
import { segmentsOf } from './segments.js';

const NOT_ASCII = /[^\0-\x7f]/;
const PLAIN_WORD = /[a-z0-9]+/g;
/** A flag, a pictograph, or a run of letters and digits. */
const WORD = /\p{Regional_Indicator}{2}|\p{Extended_Pictographic}|[\p{L}\p{N}]+/gu;
const LONGEST_TERM = 64;

/**
 * What of a text is indexed: as many words as plain text of its length can have, of as many characters as NFKD makes
 * of plain text in any script (three of a Hangul syllable), and at least so many. Beyond are only texts of characters
 * that stand for whole phrases, such as U+FDFA, and long texts of scripts without spaces: their first words are indexed.
 */
const WORDS_PER_CODE_UNIT = 0.5;
const LENGTH_PER_CODE_UNIT = 4;
const ALWAYS = { words: 1_000, length: 20_000 };
/** Segments that a text without spaces always has room for, one a code unit. */
const MOST_SEGMENTS = 25_000;

const MOST_KNOWN_STEMS = 50_000;

/**
 * The words of a text as the keyword index knows them: without accents and case, stemmed as English, in the order of
 * the text, repeats included. At most half as many as the text has UTF-16 code units, or as many up to 25,000, or 1,000.
 */
export function termsOf(text: string): string[] {
  const most = Math.max(
    ALWAYS.words,
    Math.ceil(text.length * WORDS_PER_CODE_UNIT),
    Math.min(text.length, MOST_SEGMENTS),
  );
  const terms: string[] = [];
  for (const word of wordsOf(text)) {
    for (const segment of segmentsOf(word, 'document')) {
      if (terms.length >= most) return terms;
      terms.push(stemOf(segment.slice(0, LONGEST_TERM)));
    }
  }
  return terms;
}

/** A word of a query: what the index may have of it. */
export interface QueryWord {
  word: string;
  terms: readonly string[];
  /** The term of the whole word, for contents that an earlier release indexed without segments. */
  formerTerm: string | undefined;
}

export function queryWordsOf(text: string): QueryWord[] {
  return wordsOf(text).map((word) => {
    const terms = segmentsOf(word, 'query').map((segment) => stemOf(segment.slice(0, LONGEST_TERM)));
    const whole = stemOf(word.slice(0, LONGEST_TERM));
    return { word, terms, formerTerm: terms.includes(whole) ? undefined : whole };
  });
}

function wordsOf(text: string): string[] {
  const shown = stripMarks(text, Math.max(ALWAYS.length, text.length * LENGTH_PER_CODE_UNIT)).toLowerCase();
  return shown.match(NOT_ASCII.test(shown) ? WORD : PLAIN_WORD) ?? [];
}

/** Stems of words met before. It only saves time: a stem is a function of its word. */
const knownStems = new Map<string, string>();

function stemOf(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const key = copyText(word);
  const stem = stemmer(key);
  if (knownStems.size >= MOST_KNOWN_STEMS) knownStems.clear();
  knownStems.set(key, stem);
  return stem;
}
