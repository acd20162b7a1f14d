import type { MatrixSearch } from './matrix.js';
import type { RowChanges } from './row-changes.js';
import type { Candidate } from './top-candidates.js';

/** What a scan thread is told. It takes one after the other, so a search is over what it was told before. */
export type ToThread =
  | ThreadSearch
  | { kind: 'change'; matrix: number; dimensions: number; changes: RowChanges }
  /** The matrix is not needed any more. */
  | { kind: 'drop'; matrix: number };

/** To be answered. In a matrix that it was told nothing of there is nothing. */
export interface ThreadSearch extends MatrixSearch {
  kind: 'search';
  number: number;
  matrix: number;
}

export interface FromThread {
  /** Of the search. */
  number: number;
  found: PackedCandidates;
}

/** Candidates as they travel: seq, similarity and time of each. */
export type PackedCandidates = Float64Array<ArrayBuffer>;

const PACKED_LENGTH = 3;

export function packed(candidates: readonly Candidate[]): PackedCandidates {
  const numbers = new Float64Array(PACKED_LENGTH * candidates.length);
  let at = 0;
  for (const { seq, similarity, createdAt } of candidates) {
    numbers[at] = seq;
    numbers[at + 1] = similarity;
    numbers[at + 2] = createdAt;
    at += PACKED_LENGTH;
  }
  return numbers;
}

export function unpacked(numbers: PackedCandidates): Candidate[] {
  const candidates: Candidate[] = [];
  for (let at = 0; at < numbers.length; at += PACKED_LENGTH) {
    candidates.push({
      seq: numbers[at] as number,
      similarity: numbers[at + 1] as number,
      createdAt: numbers[at + 2] as number,
    });
  }
  return candidates;
}
