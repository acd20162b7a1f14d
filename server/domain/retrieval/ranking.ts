/** Damps the lead of the first ranks; the constant of the reciprocal rank fusion paper. */
const RANK_CONSTANT = 60;

/**
 * Reciprocal rank fusion: ids scored by their places in several rankings,
 * scaled to [0, 1], 1 for the id that leads them all.
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

/** BM25, which has no upper bound, as a score in (0, 1) of the same order. */
export function keywordScore(relevance: number): number {
  return relevance / (1 + relevance);
}
