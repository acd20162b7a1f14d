/**
 * How a vector search under a filter is answered, decided here and nowhere else.
 *
 * - `gather`: read the seqs of the matching rows, copy those rows together and
 *   scan them. Exact whatever the filter; at 1,024 dimensions about 0.3 µs a
 *   matching row.
 * - `overscan`: scan everything, which is 0.04 µs a row, for more candidates
 *   than wanted, and look up which of them match. A search that is not
 *   content with those wants more of them, and comes to `gather` that way.
 */
type VectorPlan = { kind: 'gather' } | { kind: 'overscan'; candidates: number };

/** The part of the rows from which scanning everything is the cheaper way. */
export const GATHER_BELOW = 1 / 6;
/** Of three candidates one matches where a third of the rows do; where fewer do, the best of those are often enough. */
const CANDIDATES_PER_MATCH = 3;
/** The scan keeps its best sorted: beyond some hundreds a candidate costs more than a row. */
const MOST_CANDIDATES = 1_000;

/** @param atMost upper bound of the matching rows; exact where it is below GATHER_BELOW of them */
export function planVectors(rows: number, atMost: number, wanted: number): VectorPlan {
  const candidates = wanted * CANDIDATES_PER_MATCH;
  if (atMost < rows * GATHER_BELOW || atMost <= wanted || candidates > MOST_CANDIDATES) return { kind: 'gather' };
  return { kind: 'overscan', candidates };
}

const FEWEST_CANDIDATES = 50;
const CANDIDATES_PER_RESULT = 5;

/**
 * Candidates to rescore for so many results: quantizing moves near ties by a
 * few places, and with 50 for 10 results 999 in 1,000 of the true ones are
 * among them.
 */
export function candidatesFor(limit: number): number {
  return Math.max(FEWEST_CANDIDATES, CANDIDATES_PER_RESULT * limit);
}
