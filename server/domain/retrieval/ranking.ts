/** Constants of BM25: how soon repeats stop counting, and how much the length of a content does. */
export const BM25 = { saturation: 1.2, lengthWeight: 0.4 };

/** How much the words of a query count in a search by both, where the similarity counts 1. */
const WORDS_WEIGHT = 0.5;

/** The most that a word of a given rarity adds to a relevance, however often a content repeats it. */
export function mostOf(rarity: number): number {
  return rarity * (BM25.saturation + 1);
}

/** What a content is to a query by its words: its relevance as a part of the highest possible one, in [0, 1]. */
export function wordShare(relevance: number, most: number): number {
  return most === 0 ? 0 : relevance / most;
}

/** What a content is to a query by both, in [0, 1]: the similarity and the share of the words, weighted. */
export function hybridScore(similarity: number, share: number): number {
  return (similarity + WORDS_WEIGHT * share) / (1 + WORDS_WEIGHT);
}

/** BM25, which has no upper bound, as a score in (0, 1) of the same order. */
export function keywordScore(relevance: number): number {
  return relevance / (1 + relevance);
}
