import { splitNumbers } from '../engine/statements/numbers.js';
import type { MemoryTerms } from './keyword-backlog.js';

/** The memories that contain a word, ascending, with the number of its occurrences. Includes deleted memories. */
export interface Postings {
  readonly seqs: readonly number[];
  readonly times: readonly number[];
}

export const NOWHERE: Postings = { seqs: [], times: [] };

/** Returns the memories of the backlog that contain each word. Reads the backlog once for any number of words. */
export function backlogPostings(backlog: readonly MemoryTerms[], terms: Iterable<string>): Map<string, Postings> {
  if (backlog.length === 0) return new Map();
  const places = new Map(Array.from(terms, (term): [string, number[]] => [term, []]));
  for (const memory of backlog.toSorted((a, b) => a.seq - b.seq)) {
    for (const term of memory.terms) places.get(term)?.push(memory.seq);
  }
  return new Map(Array.from(places, ([term, seqs]) => [term, counted(seqs)]));
}

/**
 * Returns the memories that contain a word.
 *
 * @param indexed memories in the index: one seq per occurrence of the word, joined by commas, in the order of the memories
 */
export function parsePostings(indexed: string | null | undefined): Postings {
  return counted(splitNumbers(indexed));
}

/** @param later memories whose words are not in the index yet. Their seqs are above all seqs in the index */
export function joinedPostings(indexed: Postings, later: Postings = NOWHERE): Postings {
  if (later.seqs.length === 0) return indexed;
  return { seqs: [...indexed.seqs, ...later.seqs], times: [...indexed.times, ...later.times] };
}

function counted(places: readonly number[]): Postings {
  const seqs: number[] = [];
  const times: number[] = [];
  let last = -1;
  for (const seq of places) {
    if (seqs[last] === seq) {
      times[last] = (times[last] ?? 0) + 1;
    } else {
      last += 1;
      seqs.push(seq);
      times.push(1);
    }
  }
  return { seqs, times };
}

/** Returns how often a memory contains the word. */
export function timesIn({ seqs, times }: Postings, seq: number): number {
  let [from, to] = [0, seqs.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((seqs[middle] as number) < seq) from = middle + 1;
    else to = middle;
  }
  return seqs[from] === seq ? (times[from] as number) : 0;
}
