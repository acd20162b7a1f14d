import { copyText } from '../../../domain/text/unicode.js';
import { type LexiconEntry, lookUp } from './lexicon.js';
import type { WordMeaning } from './meaning.js';
import type { WordTerm } from './terms.js';

/** A word of a text, and what the parts of a vector know of it. Each part adds its own when it first needs it. */
export interface KnownWord extends LexiconEntry {
  readonly text: string;
  term?: WordTerm;
  meaning?: WordMeaning;
}

const MAX_KNOWN_WORDS = 50_000;

/** Words met before. It only saves time: an entry is a function of its word. */
const knownWords = new Map<string, KnownWord>();

/** Returns the entry of a word that is already lower case and without accents. */
export function knowWord(word: string): KnownWord {
  const known = knownWords.get(word);
  if (known) return known;
  const text = copyText(word);
  const { stem, weight, isFunctionWord } = lookUp(text);
  const entry: KnownWord = { text, stem, weight, isFunctionWord, term: undefined, meaning: undefined };
  if (knownWords.size >= MAX_KNOWN_WORDS) knownWords.clear();
  knownWords.set(text, entry);
  return entry;
}
