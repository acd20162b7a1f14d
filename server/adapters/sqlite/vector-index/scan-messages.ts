import type { IndexChunk } from './index-file.js';
import type { RowChanges } from './row-changes.js';
import type { Candidate } from './top-candidates.js';

/** What a scan thread is told. It takes one after the other, so a question is answered of what was told before it. */
export type Order =
  | { kind: 'change'; matrix: number; dimensions: number; changes: RowChanges }
  /** The matrix is not needed any more. */
  | { kind: 'drop'; matrix: number };

/** What a scan thread is asked. Of a matrix that it was told nothing of, it answers that there is nothing. */
export type Question =
  | { kind: 'search'; matrix: number; query: Int8Array; k: number }
  | { kind: 'search only'; matrix: number; query: Int8Array; seqs: Float64Array; k: number }
  /** The first rows of a block. */
  | { kind: 'copy'; matrix: number; block: number; rows: number };

/** What comes back of each question. */
export interface Answers {
  search: PackedCandidates;
  'search only': PackedCandidates;
  copy: IndexChunk;
}

export type ToThread = Order | { kind: 'question'; number: number; question: Question };

export interface FromThread {
  number: number;
  answer: Answers[Question['kind']];
}

/** Candidates as they travel: seq, similarity and time of each. */
export type PackedCandidates = Float64Array;

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
