import { termsOf } from './keyword-terms.js';
import { queryTerms } from './query-terms.js';

/** A word of a query that a content has. */
export interface MatchedWord {
  /** The word as it is indexed. */
  term: string;
  /** The parts of the content that contain the word. */
  forms: string[];
}

/** Maximum number of characters of a content that are examined. */
const MAX_EXAMINED = 10_000;
const MAX_FORMS = 8;
/** A flag, a pictograph, or a run of letters and digits with their marks. */
const WORD = /\p{Regional_Indicator}{2}|\p{Extended_Pictographic}|[\p{L}\p{N}\p{M}]+/gu;

/** Returns the terms of a query that its matched words can have: without stop words, unless it has only those. */
export function tellingTerms(query: string): ReadonlySet<string> {
  const { counted, secondary } = queryTerms(query);
  const telling = counted.filter((term) => !secondary.has(term));
  return new Set(telling.length > 0 ? telling : counted);
}

/** Returns the terms that a content has, in the order of the content. */
export function matchedWords(terms: ReadonlySet<string>, content: string): MatchedWord[] {
  const forms = new Map<string, Set<string>>();
  for (const word of new Set(content.slice(0, MAX_EXAMINED).match(WORD) ?? [])) {
    for (const term of termsOf(word)) {
      if (!terms.has(term)) continue;
      const known = forms.get(term) ?? new Set();
      forms.set(term, known);
      if (known.size < MAX_FORMS) known.add(formOf(word, term));
    }
  }
  return Array.from(forms, ([term, known]) => ({ term, forms: [...known] }));
}

/** Returns the part of a run without spaces that is the term. Any other word is a term as a whole. */
function formOf(word: string, term: string): string {
  return termsOf(word).length > 1 && word.includes(term) ? term : word;
}
