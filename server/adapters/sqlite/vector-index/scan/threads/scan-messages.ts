import type { RowChunk } from '../block.js';
import type { Found, MatrixSearch } from '../matrix-search.js';
import type { RowChanges } from '../row-changes.js';
import type { Candidate } from '../top-candidates.js';

/** The data of a scan thread at its start. */
export interface ScanThreadData {
  /** The memory of the work that it shares with a helper, if it has one. */
  helperBuffer: SharedArrayBuffer | undefined;
}

/** A message to a scan thread. The thread handles messages in order, so a search includes all changes sent before it. */
export type ToThread =
  | ThreadSearch
  | { kind: 'change'; matrix: number; dimensions: number; changes: RowChanges }
  /** Adds rows that the matrix does not have. */
  | { kind: 'append'; matrix: number; dimensions: number; rows: RowChunk }
  /** Drops a matrix that is not needed any more. */
  | { kind: 'drop'; matrix: number };

/** A search that the thread answers. An unknown matrix counts as empty. */
export interface ThreadSearch extends MatrixSearch {
  kind: 'search';
  number: number;
  matrix: number;
  /** True if the helper should take a part. */
  isHelped: boolean;
}

export interface FromThread extends Omit<Found, 'candidates'> {
  /** The number of the search. */
  number: number;
  found: PackedCandidates;
}

/** Candidates in the form of messages: seq, similarity and time of each. */
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
