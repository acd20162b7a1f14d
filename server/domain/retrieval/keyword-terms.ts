import { stemmer } from 'stemmer';

const WORD = /[\p{L}\p{N}]+/gu;
const MARK = /\p{M}+/gu;
const LONGEST_TERM = 64;
const MOST_KNOWN_STEMS = 50_000;

/**
 * The words of a text as the keyword index knows them: without accents and
 * case, stemmed as English, in the order of the text, repeats included.
 */
export function termsOf(text: string): string[] {
  const words = text.normalize('NFKD').replace(MARK, '').toLowerCase().match(WORD) ?? [];
  return words.map((word) => stemOf(word.slice(0, LONGEST_TERM)));
}

/** Stems of words met before. It only saves time: a stem is a function of its word. */
const knownStems = new Map<string, string>();

function stemOf(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const stem = stemmer(word);
  if (knownStems.size >= MOST_KNOWN_STEMS) knownStems.clear();
  knownStems.set(word, stem);
  return stem;
}
