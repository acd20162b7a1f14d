import { termsOf } from './keyword-terms.js';

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
}

/** The distinct terms of a query that may be searched for, at most `MAX_COUNTED_TERMS`. */
export function queryTerms(text: string): { counted: string[]; wordsLeftOut: boolean } {
  const distinct = [...new Set(termsOf(text))];
  const wordsLeftOut = distinct.length > MAX_COUNTED_TERMS;
  const longestFirst = wordsLeftOut ? distinct.sort((a, b) => b.length - a.length) : distinct;
  return { counted: longestFirst.slice(0, MAX_COUNTED_TERMS), wordsLeftOut };
}

/**
 * The rarest terms, at most `MAX_QUERY_TERMS`, without the common ones unless all are.
 *
 * @param numbers how many memories have each term
 * @param all how many memories the organization has
 */
export function rarestTerms(numbers: Iterable<readonly [term: string, number: number]>, all: number): ChosenTerms {
  const known: (QueryTerm & { found: number })[] = [];
  for (const [term, number] of numbers) {
    // A write may have come between the counts.
    const found = Math.min(number, all);
    if (found > 0) known.push({ term, found, rarity: Math.log(1 + (all - found + 0.5) / (found + 0.5)) });
  }
  known.sort((a, b) => b.rarity - a.rarity);
  const telling = known.filter(({ found }) => found <= Math.max(COMMON.memories, all * COMMON.share));
  const worth = telling.length > 0 ? telling : known;
  return { terms: worth.slice(0, MAX_QUERY_TERMS), wordsLeftOut: worth.length > MAX_QUERY_TERMS };
}
