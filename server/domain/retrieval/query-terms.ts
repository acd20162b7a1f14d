import { queryWordsOf } from './keyword-terms.js';
import { mostOf } from './ranking.js';
import { STOP_WORDS } from './stop-words.js';

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
  /** The highest relevance that a content could have which has all words of the query. */
  most: number;
}

/** The distinct terms of a query that may be searched for. */
export interface AskedTerms {
  /** At most `MAX_COUNTED_TERMS`. */
  counted: string[];
  /** Counted terms that are searched for only if no memory has another: stop words, and terms of earlier releases. */
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
 * Returns the rarest terms, at most `MAX_QUERY_TERMS`. Leaves out secondary terms unless no memory has another, and
 * common words unless all are common.
 *
 * @param numbers number of memories that contain each term
 * @param all number of memories of the organization
 */
export function rarestTerms(
  numbers: Iterable<readonly [term: string, number: number]>,
  all: number,
  secondary: ReadonlySet<string> = new Set(),
): ChosenTerms {
  const known: (QueryTerm & { found: number })[] = [];
  let most = 0;
  for (const [term, number] of numbers) {
    // A write between the two counts can make `number` exceed `all`.
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

/** Returns the items that pass, or all if none does. */
function orAll<T>(all: readonly T[], passes: (one: T) => boolean): readonly T[] {
  const passing = all.filter(passes);
  return passing.length > 0 ? passing : all;
}
