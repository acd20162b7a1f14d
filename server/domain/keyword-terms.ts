import { stemmer } from 'stemmer';

const WORD = /[\p{L}\p{N}]+/gu;
const MARK = /\p{M}+/gu;
const LONGEST_TERM = 64;

/**
 * The words of a text as the keyword index knows them: without accents and
 * case, stemmed as English, in the order of the text, repeats included.
 */
export function termsOf(text: string): string[] {
  const words = text.normalize('NFKD').replace(MARK, '').toLowerCase().match(WORD) ?? [];
  return words.map((word) => stemmer(word.slice(0, LONGEST_TERM)));
}
