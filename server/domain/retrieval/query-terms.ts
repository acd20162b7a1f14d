import { termsOf } from './keyword-terms.js';

/** Maximum number of distinct query terms that a store counts. The longest are kept, because short words are common. */
export const MAX_COUNTED_TERMS = 256;
/** Maximum number of distinct query terms that are searched for. The rarest are kept. */
export const MAX_QUERY_TERMS = 64;

/** A word is common if at least this number and this share of memories contain it. Searching for it adds little. */
const COMMON = { memories: 1_000, share: 0.25 };

export interface QueryTerm {
  term: string;
  /** Weight of the word; higher if fewer memories contain it. */
  rarity: number;
}

/** The terms of a query that are searched for. */
export interface ChosenTerms {
  /** Rarest first. */
  terms: QueryTerm[];
  /** True if terms were left out because there were too many. */
  wordsLeftOut: boolean;
}

/** Returns the distinct terms of a query that are counted, at most `MAX_COUNTED_TERMS`. */
export function queryTerms(text: string): { counted: string[]; wordsLeftOut: boolean } {
  const distinct = [...new Set(termsOf(text))];
  const wordsLeftOut = distinct.length > MAX_COUNTED_TERMS;
  const longestFirst = wordsLeftOut ? distinct.sort((a, b) => b.length - a.length) : distinct;
  return { counted: longestFirst.slice(0, MAX_COUNTED_TERMS), wordsLeftOut };
}

/**
 * Returns the rarest terms, at most `MAX_QUERY_TERMS`, without common ones unless all are common.
 *
 * @param numbers number of memories that contain each term
 * @param all number of memories of the organization
 */
export function rarestTerms(numbers: Iterable<readonly [term: string, number: number]>, all: number): ChosenTerms {
  const known: (QueryTerm & { found: number })[] = [];
  for (const [term, number] of numbers) {
    // A write between the two counts can make `number` exceed `all`.
    const found = Math.min(number, all);
    if (found > 0) known.push({ term, found, rarity: Math.log(1 + (all - found + 0.5) / (found + 0.5)) });
  }
  known.sort((a, b) => b.rarity - a.rarity);
  const telling = known.filter(({ found }) => found <= Math.max(COMMON.memories, all * COMMON.share));
  const worth = telling.length > 0 ? telling : known;
  return { terms: worth.slice(0, MAX_QUERY_TERMS), wordsLeftOut: worth.length > MAX_QUERY_TERMS };
}
