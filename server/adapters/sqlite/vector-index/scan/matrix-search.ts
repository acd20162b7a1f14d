import type { Quantized } from './codes/quantize.js';
import type { Candidate } from './top-candidates.js';

/** A search of the rows of a matrix. */
export interface MatrixSearch {
  query: Quantized;
  /** Number of rows to find. */
  k: number;
  /** True if no row may be missed: a search by sketches rarely misses one, see `Sketcher`. */
  exact?: boolean;
  /** If present, fewer than `k` rows may be enough. */
  needed?: Needed;
}

/** Rows less similar than the last of the `rows` best, by more than `within`, are not needed. */
export interface Needed {
  rows: number;
  within: number;
}

export interface Found {
  /** Best first. */
  candidates: Candidate[];
  /** Upper bound of the similarities of all other rows, `NO_SIMILARITY` if there are none. */
  unseen: number;
  /** Number of bytes that were compared. */
  bytes: number;
}

/** The similarity of rows that do not exist. */
export const NO_SIMILARITY = Number.NEGATIVE_INFINITY;

/** The result for no rows. */
export const NOTHING: Found = { candidates: [], unseen: NO_SIMILARITY, bytes: 0 };

/** Returns an upper bound of the similarities of the rows that are not among the `k` best. */
export function unseenBy(candidates: readonly Candidate[], k: number): number {
  return candidates.length < k ? NO_SIMILARITY : (candidates.at(-1)?.similarity ?? NO_SIMILARITY);
}
