import type { Needed } from '../scan/matrix-search.js';

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
/** Number of candidates for each one that should match, if the share that matches is known. */
const SPARE = 1.25;
/** The scan keeps candidates sorted: beyond some hundreds, one more candidate costs more than one more row. */
const MAX_CANDIDATES = 1_000;

/** How many rows match a filter. */
interface Matching {
  /** Upper bound of their number. Exact if it is below the share `GATHER_BELOW` of all rows. */
  atMost: number;
  /** Share of candidates that match, if it is known. */
  share?: number | undefined;
}

export function planVectors(rows: number, { atMost, share }: Matching, wanted: number): VectorPlan {
  const perMatch = share === undefined ? CANDIDATES_PER_MATCH : SPARE / Math.max(share, GATHER_BELOW);
  const candidates = Math.ceil(wanted * perMatch);
  if (atMost < rows * GATHER_BELOW || atMost <= wanted || candidates > MAX_CANDIDATES) return { kind: 'gather' };
  return { kind: 'overscan', candidates };
}

/** Number of needed candidates for each one that must match. */
const NEEDED_SPARE = 1.5;

/** Returns the rows that are needed if some of them do not match. Returns undefined if it is unknown how many. */
export function neededOf(needed: Needed | undefined, share: number | undefined): Needed | undefined {
  if (!needed || !share) return undefined;
  return { ...needed, rows: Math.ceil((NEEDED_SPARE * needed.rows) / share) };
}

const MIN_CANDIDATES = 40;
const CANDIDATES_PER_RESULT = 4;

/**
 * Returns the maximum number of candidates to rescore for `limit` results. Quantizing
 * moves rows of similar scores by a few ranks. With 40 candidates for 10
 * results, 999 of 1,000 exact results are among them.
 */
export function candidatesFor(limit: number): number {
  return Math.max(MIN_CANDIDATES, CANDIDATES_PER_RESULT * limit);
}
