import { stemmer } from 'stemmer';
import { copyText, stripMarks } from '../text/unicode.js';
import { segmentsOf } from './segments.js';

const NOT_ASCII = /[^\0-\x7f]/;
const PLAIN_WORD = /[a-z0-9]+/g;
/** A flag, a pictograph, or a run of letters and digits. */
const WORD = /\p{Regional_Indicator}{2}|\p{Extended_Pictographic}|[\p{L}\p{N}]+/gu;
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

const HAS_LATIN = /[a-z]/;
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
  const terms: string[] = [];
  const known = new Map<string, readonly string[]>();
  for (const word of wordsOf(text)) {
    let own = known.get(word);
    if (own === undefined) {
      own = segmentsOf(word, 'document', most).map((segment) => stemOf(segment.slice(0, MAX_TERM_LENGTH)));
      known.set(word, own);
    }
    for (const term of own) terms.push(term);
    if (terms.length >= most) break;
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
  return wordsOf(text).map((word) => {
    const terms = segmentsOf(word, 'query').map((segment) => stemOf(segment.slice(0, MAX_TERM_LENGTH)));
    const whole = stemOf(word.slice(0, MAX_TERM_LENGTH));
    return { word, terms, formerTerm: terms.includes(whole) ? undefined : whole };
  });
}

function wordsOf(text: string): string[] {
  const shown = stripMarks(text, Math.max(ALWAYS.length, text.length * LENGTH_PER_CODE_UNIT)).toLowerCase();
  return shown.match(NOT_ASCII.test(shown) ? WORD : PLAIN_WORD) ?? [];
}

/** Cache of stems. */
const knownStems = new Map<string, string>();

function stemOf(word: string): string {
  if (!HAS_LATIN.test(word)) return word;
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const key = copyText(word);
  const stem = stemmer(key);
  if (knownStems.size >= MAX_KNOWN_STEMS) knownStems.clear();
  knownStems.set(key, stem);
  return stem;
}
