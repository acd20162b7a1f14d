import type { Connection } from '../engine/connection.js';
import { splitNumbers } from '../engine/numbers.js';
import type { MemoryTerms } from './keyword-backlog.js';
import { indexedTerm } from './keyword-terms.js';

/** The memories that have a word, deleted ones included, in ascending order, and how often each of them has it. */
export interface Postings {
  seqs: number[];
  times: number[];
}

/** @param backlog memories whose words the index does not have yet, all of them later than those that it has */
export function readPostings(
  connection: Connection,
  org: number,
  term: string,
  backlog: readonly MemoryTerms[],
): Postings {
  // A row for each place of the word, in the order of the memories.
  const sql = 'SELECT group_concat(doc) AS seqs FROM keyword_instances WHERE term = ?';
  const places = splitNumbers(connection.get<{ seqs: string | null }>(sql, indexedTerm(org, term))?.seqs);
  for (const { seq, terms } of backlog.toSorted((a, b) => a.seq - b.seq)) {
    for (const each of terms) if (each === term) places.push(seq);
  }
  return counted(places);
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

/** How often a memory has the word. */
export function timesIn({ seqs, times }: Postings, seq: number): number {
  let [from, to] = [0, seqs.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((seqs[middle] as number) < seq) from = middle + 1;
    else to = middle;
  }
  return seqs[from] === seq ? (times[from] as number) : 0;
}
