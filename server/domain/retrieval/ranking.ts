/** Reduces the weight of the first ranks. Value of the paper on reciprocal rank fusion. */
const RANK_CONSTANT = 60;

/**
 * Scores ids by their ranks in several rankings (reciprocal rank fusion). Scores are in [0, 1]; an id that leads every
 * ranking scores 1.
 */
export function fuseRanks(rankings: readonly (readonly string[])[]): Map<string, number> {
  const scores = new Map<string, number>();
  const scale = (RANK_CONSTANT + 1) / rankings.length;
  for (const ranking of rankings) {
    for (const [place, id] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + scale / (RANK_CONSTANT + place + 1));
    }
  }
  return scores;
}

/** Maps a BM25 value, which has no upper bound, to a score in (0, 1) of the same order. */
export function keywordScore(relevance: number): number {
  return relevance / (1 + relevance);
}
