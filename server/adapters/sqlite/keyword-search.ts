import type { Connection } from './connection.js';
import { splitNumbers } from './filter-sql.js';
import { indexedTerm, termsOf } from './keyword-terms.js';
import type { OrganizationCounts } from './organizations.js';

/** A memory that has words of the query. */
export interface Relevant {
  seq: number;
  relevance: number;
}

/** The usual constants of BM25: how soon repeats stop counting, and how much length does. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/**
 * Every memory with a word of the query, by BM25, best first.
 *
 * Rarity and average length are those of the organization, so neither the
 * order nor the numbers tell anything about the others.
 */
export function relevantTo(connection: Connection, org: number, text: string, counts: OrganizationCounts): Relevant[] {
  const memories = counts.active + counts.deleted;
  const averageWords = Math.max(1, counts.words / Math.max(1, memories));
  const relevance = new Map<number, number>();
  for (const term of new Set(termsOf(text))) {
    const frequencies = frequenciesOf(connection, org, term);
    const rarity = Math.log(1 + (memories - frequencies.size + 0.5) / (frequencies.size + 0.5));
    for (const [seq, { times, words }] of frequencies) {
      const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * words) / averageWords;
      const weight = (rarity * times * (SATURATION + 1)) / (times + SATURATION * length);
      relevance.set(seq, (relevance.get(seq) ?? 0) + weight);
    }
  }
  return Array.from(relevance, ([seq, sum]) => ({ seq, relevance: sum })).sort(
    (a, b) => b.relevance - a.relevance || a.seq - b.seq,
  );
}

interface Frequency {
  times: number;
  words: number;
}

function frequenciesOf(connection: Connection, org: number, term: string): Map<number, Frequency> {
  const row = connection.get<{ seqs: string | null; words: string | null }>(
    `SELECT group_concat(k.doc) AS seqs, group_concat(m.words) AS words
       FROM keyword_instances k CROSS JOIN memories m ON m.seq = k.doc WHERE k.term = ?`,
    indexedTerm(org, term),
  );
  const words = splitNumbers(row?.words);
  const frequencies = new Map<number, Frequency>();
  for (const [index, seq] of splitNumbers(row?.seqs).entries()) {
    const known = frequencies.get(seq);
    if (known) known.times += 1;
    else frequencies.set(seq, { times: 1, words: words[index] ?? 0 });
  }
  return frequencies;
}
