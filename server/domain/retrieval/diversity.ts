import { clip } from './similarity.js';

const MIN_CANDIDATES = 50;
const CANDIDATES_PER_RESULT = 5;

/** Returns the number of the best matches from which `limit` diverse ones are picked. */
export function diversityCandidates(limit: number): number {
  return Math.max(MIN_CANDIDATES, CANDIDATES_PER_RESULT * limit);
}

/**
 * Yields candidates by maximal marginal relevance: each time the one with the highest value of
 * (1 - diversity) · score - diversity · s, where s is its highest similarity to one that was yielded before. Of equal
 * candidates, the first in the given order is yielded first.
 *
 * @param vectorOf returns a vector of length 1; without a vector, a candidate is similar to none
 * @param diversity in [0, 1]; 0 keeps the order of the scores
 */
export function* diversePicks<Candidate extends { score: number }>(
  candidates: readonly Candidate[],
  vectorOf: (candidate: Candidate) => Float32Array | undefined,
  diversity: number,
): Generator<Candidate> {
  let rest = candidates.map((candidate) => ({ candidate, vector: vectorOf(candidate), nearest: 0 }));
  while (rest.length > 0) {
    const marginOf = (each: (typeof rest)[number]) => (1 - diversity) * each.candidate.score - diversity * each.nearest;
    const best = rest.reduce((before, each) => (marginOf(each) > marginOf(before) ? each : before));
    yield best.candidate;
    rest = rest.filter((each) => each !== best);
    for (const each of rest) each.nearest = Math.max(each.nearest, similarityOf(each.vector, best.vector));
  }
}

function similarityOf(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other) return 0;
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] as number) * (other[index] as number);
  return clip(sum);
}
