/** Constants of BM25: the saturation of repeated words, and the weight of the length of a content. */
export const BM25 = { saturation: 1.2, lengthWeight: 0.4 };

/** Weight of the words in a hybrid search, where the similarity has weight 1. */
const WORDS_WEIGHT = 0.5;

/** Returns the maximum that a word of a given rarity adds to a relevance, however often a content repeats it. */
export function mostOf(rarity: number): number {
  return rarity * (BM25.saturation + 1);
}

/** Returns the relevance of a content as a share of the highest possible one, in [0, 1]. */
export function wordShare(relevance: number, most: number): number {
  return most === 0 ? 0 : relevance / most;
}

/** Returns the score of a content in a hybrid search, in [0, 1]: the weighted mean of similarity and share of the words. */
export function hybridScore(similarity: number, share: number): number {
  return (similarity + WORDS_WEIGHT * share) / (1 + WORDS_WEIGHT);
}

/** Returns what the similarity and the words add to `hybridScore`. */
export function hybridParts(similarity: number, share: number): { meaning: number; words: number } {
  return { meaning: hybridScore(similarity, 0), words: hybridScore(0, share) };
}

/** Maps a BM25 value, which has no upper bound, to a score in (0, 1) of the same order. */
export function keywordScore(relevance: number): number {
  return relevance / (1 + relevance);
}
