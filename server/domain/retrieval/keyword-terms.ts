import { stemmer } from 'stemmer';
import { copyText, stripMarks } from '../memory/unicode.js';

const WORD = /[\p{L}\p{N}]+/gu;
const LONGEST_TERM = 64;

/**
 * What of a text is indexed: as many words as plain text of its length can have, of as many characters as NFKD makes
 * of plain text in any script (three of a Hangul syllable), and at least so many. Beyond are only texts of characters
 * that stand for whole phrases, such as U+FDFA: their first words are indexed.
 */
const WORDS_PER_CODE_UNIT = 0.5;
const LENGTH_PER_CODE_UNIT = 4;
const ALWAYS = { words: 1_000, length: 20_000 };

const MOST_KNOWN_STEMS = 50_000;

/**
 * The words of a text as the keyword index knows them: without accents and
 * case, stemmed as English, in the order of the text, repeats included. At
 * most 1,000 or half as many as the text has UTF-16 code units.
 */
export function termsOf(text: string): string[] {
  return wordsOf(text).map(stemOf);
}

/** The words of a text that `termsOf` gives the stems of. */
export function wordsOf(text: string): string[] {
  const maxLength = Math.max(ALWAYS.length, text.length * LENGTH_PER_CODE_UNIT);
  const maxWords = Math.max(ALWAYS.words, Math.ceil(text.length * WORDS_PER_CODE_UNIT));
  const words = stripMarks(text, maxLength).toLowerCase().match(WORD) ?? [];
  return words.slice(0, maxWords).map((word) => word.slice(0, LONGEST_TERM));
}

/** Stems of words met before. It only saves time: a stem is a function of its word. */
const knownStems = new Map<string, string>();

export function stemOf(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const key = copyText(word);
  const stem = stemmer(key);
  if (knownStems.size >= MOST_KNOWN_STEMS) knownStems.clear();
  knownStems.set(key, stem);
  return stem;
}
