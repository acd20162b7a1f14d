import { stemmer } from 'stemmer';
import { copyText, stripMarks } from '../memory/unicode.js';

const WORD = /[\p{L}\p{N}]+/gu;
const MAX_TERM_LENGTH = 64;

/**
 * Limits on the words and characters that are indexed per text; `ALWAYS` is allowed for every text. Plain text of any
 * script never reaches them: NFKD makes at most three characters of one, a Hangul syllable. Only characters that stand
 * for whole phrases do, such as U+FDFA. Of such texts, the first words are indexed.
 */
const WORDS_PER_CODE_UNIT = 0.5;
const LENGTH_PER_CODE_UNIT = 4;
const ALWAYS = { words: 1_000, length: 20_000 };

const MAX_KNOWN_STEMS = 50_000;

/**
 * Returns the words of a text for the keyword index: without accents and case, stemmed as English, in the order of the
 * text, with repeats. Returns at most 1,000, or half as many as the text has UTF-16 code units if that is more.
 */
export function termsOf(text: string): string[] {
  const maxLength = Math.max(ALWAYS.length, text.length * LENGTH_PER_CODE_UNIT);
  const maxWords = Math.max(ALWAYS.words, Math.ceil(text.length * WORDS_PER_CODE_UNIT));
  const words = stripMarks(text, maxLength).toLowerCase().match(WORD) ?? [];
  return words.slice(0, maxWords).map((word) => stemOf(word.slice(0, MAX_TERM_LENGTH)));
}

/** Cache of stems. */
const knownStems = new Map<string, string>();

function stemOf(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const key = copyText(word);
  const stem = stemmer(key);
  if (knownStems.size >= MAX_KNOWN_STEMS) knownStems.clear();
  knownStems.set(key, stem);
  return stem;
}
