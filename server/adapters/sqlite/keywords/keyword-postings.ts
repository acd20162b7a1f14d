import type { Connection } from '../engine/connection.js';
import { splitNumbers } from '../engine/numbers.js';
import type { MemoryTerms } from './keyword-backlog.js';
import { indexedTerm } from './keyword-terms.js';

/** The memories that contain a word, ascending, with the number of its occurrences. Includes deleted memories. */
export interface Postings {
  seqs: number[];
  times: number[];
}

const NOWHERE: Postings = { seqs: [], times: [] };

/** Returns the memories of the backlog that contain each word. Reads the backlog once for any number of words. */
export function backlogPostings(backlog: readonly MemoryTerms[], terms: Iterable<string>): Map<string, Postings> {
  const places = new Map(Array.from(terms, (term): [string, number[]] => [term, []]));
  for (const memory of backlog.toSorted((a, b) => a.seq - b.seq)) {
    for (const term of memory.terms) places.get(term)?.push(memory.seq);
  }
  return new Map(Array.from(places, ([term, seqs]) => [term, counted(seqs)]));
}

/** @param later memories whose words are not in the index yet. Their seqs are above all seqs in the index */
export function readPostings(connection: Connection, org: number, term: string, later: Postings = NOWHERE): Postings {
  // The table has one row per occurrence of the word, in the order of the memories.
  const sql = 'SELECT group_concat(doc) AS seqs FROM keyword_instances WHERE term = ?';
  const places = splitNumbers(connection.get<{ seqs: string | null }>(sql, indexedTerm(org, term))?.seqs);
  const { seqs, times } = counted(places);
  return { seqs: [...seqs, ...later.seqs], times: [...times, ...later.times] };
}

function counted(places: readonly number[]): Postings {
  const postings: Postings = { seqs: [], times: [] };
  let last = -1;
  for (const seq of places) {
    if (postings.seqs[last] === seq) {
      postings.times[last] = (postings.times[last] ?? 0) + 1;
    } else {
      last += 1;
      postings.seqs.push(seq);
      postings.times.push(1);
    }
  }
  return postings;
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
