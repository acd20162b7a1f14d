import { queryWordsOf } from './keyword-terms.js';
import { mostOf } from './ranking.js';
import { STOP_WORDS } from './stop-words.js';

/** The most distinct terms of a query that a store counts. Of more, the longest are: short words are the common ones. */
export const MAX_COUNTED_TERMS = 256;
/** The most distinct terms of a query that are searched for: the rarest of those that the organization's memories have. */
export const MAX_QUERY_TERMS = 64;

/** A word is common that so many memories have, and so large a part of them: its list is long and tells little. */
const COMMON = { memories: 1_000, share: 0.25 };

/** A term and its weight. */
export interface QueryTerm {
  term: string;
  /** Weight of a word that so few memories have. */
  rarity: number;
}

/** The terms that a query is searched for. */
export interface ChosenTerms {
  /** Rarest first. */
  terms: QueryTerm[];
  /** Whether there are more than are searched for. */
  wordsLeftOut: boolean;
  /** The highest relevance that a content could have which has all words of the query. */
  most: number;
}

/** The distinct terms of a query that may be searched for. */
export interface AskedTerms {
  /** At most `MAX_COUNTED_TERMS`. */
  counted: string[];
  /** Those of them that are only searched for if no memory has another: stop words, and terms of earlier releases. */
  secondary: ReadonlySet<string>;
  wordsLeftOut: boolean;
}

export function queryTerms(text: string): AskedTerms {
  const distinct = new Set<string>();
  const telling = new Set<string>();
  for (const { word, terms, formerTerm } of queryWordsOf(text)) {
    for (const term of terms) {
      distinct.add(term);
      if (!STOP_WORDS.has(word)) telling.add(term);
    }
    if (formerTerm !== undefined) distinct.add(formerTerm);
  }
  const wordsLeftOut = distinct.size > MAX_COUNTED_TERMS;
  const counted = wordsLeftOut ? [...distinct].sort((a, b) => b.length - a.length) : [...distinct];
  return {
    counted: counted.slice(0, MAX_COUNTED_TERMS),
    secondary: new Set(counted.filter((term) => !telling.has(term))),
    wordsLeftOut,
  };
}

/**
 * The rarest terms, at most `MAX_QUERY_TERMS`. Secondary ones are left out unless no memory has another, and common words
 * unless all are common.
 *
 * @param numbers how many memories have each term
 * @param all how many memories the organization has
 */
export function rarestTerms(
  numbers: Iterable<readonly [term: string, number: number]>,
  all: number,
  secondary: ReadonlySet<string> = new Set(),
): ChosenTerms {
  const known: (QueryTerm & { found: number })[] = [];
  let most = 0;
  for (const [term, number] of numbers) {
    // A write may have come between the counts.
    const found = Math.min(number, all);
    const rarity = Math.log(1 + (all - found + 0.5) / (found + 0.5));
    if (found > 0) known.push({ term, found, rarity });
    else if (!secondary.has(term)) most += mostOf(rarity);
  }
  known.sort((a, b) => b.rarity - a.rarity);
  const telling = orAll(known, ({ term }) => !secondary.has(term));
  const worth = orAll(telling, ({ found }) => found <= Math.max(COMMON.memories, all * COMMON.share));
  const terms = worth.slice(0, MAX_QUERY_TERMS);
  for (const { rarity } of terms) most += mostOf(rarity);
  return { terms, wordsLeftOut: worth.length > MAX_QUERY_TERMS, most };
}

/** Those that pass, or all if none does. */
function orAll<T>(all: readonly T[], passes: (one: T) => boolean): readonly T[] {
  const passing = all.filter(passes);
  return passing.length > 0 ? passing : all;
}
