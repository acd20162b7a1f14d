import type { Quantized } from './quantize.js';
import type { Candidate } from './top-candidates.js';

/** A search of the rows of a matrix. */
export interface MatrixSearch {
  query: Quantized;
  /** Number of rows to find. */
  k: number;
  /** True if no row may be missed: a search by sketches rarely misses one, see `Sketcher`. */
  exact?: boolean;
}

export interface Found {
  /** Best first. */
  candidates: Candidate[];
  /** Number of bytes that were compared. */
  bytes: number;
}

/** The result for no rows. */
export const NOTHING: Found = { candidates: [], bytes: 0 };
