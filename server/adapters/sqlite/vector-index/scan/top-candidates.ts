import type { Scanned } from './scan.js';

/** A row that may be among the best. Its similarity is estimated from quantized vectors. */
export interface Candidate {
  seq: number;
  similarity: number;
  createdAt: number;
}

/** Returns the candidate of a row of a scan. */
export type CandidateOf = (row: number, similarity: number) => Candidate;

/** Collects the best rows of several scans. */
export class TopCandidates {
  readonly wanted: number;
  candidates: Candidate[] = [];
  worst = Number.NEGATIVE_INFINITY;

  constructor(wanted: number) {
    this.wanted = wanted;
  }

  /** @param scale the similarity of a product of 1 */
  add({ rows, products }: Scanned, scale: number, at: CandidateOf): void {
    for (let index = 0; index < rows.length; index += 1) {
      const similarity = scale * (products[index] as number);
      if (similarity < this.worst) continue;
      this.candidates.push(at(rows[index] as number, similarity));
    }
    this.#cut();
  }

  #cut(): void {
    this.candidates.sort(bySimilarity);
    if (this.candidates.length < this.wanted) return;
    this.candidates.length = this.wanted;
    this.worst = this.candidates.at(-1)?.similarity ?? this.worst;
  }
}

/** Returns the best of several sorted lists, sorted. */
export function best(lists: readonly Candidate[][], k: number): Candidate[] {
  const [only = [], ...others] = lists;
  return others.reduce((one, other) => merged(one, other, k), only);
}

/** Merges two lists up to `k` candidates, which is faster than sorting them together. */
function merged(one: readonly Candidate[], other: readonly Candidate[], k: number): Candidate[] {
  const candidates: Candidate[] = [];
  let [at, otherAt] = [0, 0];
  while (candidates.length < k) {
    const [first, second] = [one[at], other[otherAt]];
    if (first && (!second || bySimilarity(first, second) <= 0)) {
      candidates.push(first);
      at += 1;
    } else if (second) {
      candidates.push(second);
      otherAt += 1;
    } else break;
  }
  return candidates;
}

/** Sorts best first. Of equal candidates, the older memory comes first. */
export function bySimilarity(a: Candidate, b: Candidate): number {
  return b.similarity - a.similarity || a.seq - b.seq;
}
