/**
 * The method of a vector search with a filter.
 *
 * - `gather`: read the seqs of the matching rows, copy those rows together and
 *   scan the copy. Exact for every filter. At 1,024 dimensions about 0.3 µs per
 *   matching row.
 * - `overscan`: scan all rows, 0.04 µs each, for more candidates than wanted,
 *   and then select those that match. If these are not enough, the search asks
 *   for more, which finally leads to `gather`.
 */
type VectorPlan = { kind: 'gather' } | { kind: 'overscan'; candidates: number };

/** Share of matching rows from which scanning all rows is cheaper. */
export const GATHER_BELOW = 1 / 6;
/** One of three candidates matches if a third of the rows do. If fewer rows match, the best of them are often enough. */
const CANDIDATES_PER_MATCH = 3;
/** The scan keeps candidates sorted: beyond some hundreds, one more candidate costs more than one more row. */
const MAX_CANDIDATES = 1_000;

/** @param atMost upper bound of the matching rows. Exact if it is below the share `GATHER_BELOW` of all rows */
export function planVectors(rows: number, atMost: number, wanted: number): VectorPlan {
  const candidates = wanted * CANDIDATES_PER_MATCH;
  if (atMost < rows * GATHER_BELOW || atMost <= wanted || candidates > MAX_CANDIDATES) return { kind: 'gather' };
  return { kind: 'overscan', candidates };
}

const MIN_CANDIDATES = 40;
const CANDIDATES_PER_RESULT = 4;

/**
 * Returns the number of candidates to rescore for `limit` results. Quantizing
 * moves rows of similar scores by a few ranks. With 40 candidates for 10
 * results, 999 of 1,000 exact results are among them.
 */
export function candidatesFor(limit: number): number {
  return Math.max(MIN_CANDIDATES, CANDIDATES_PER_RESULT * limit);
}
