import { termsOf } from '../../domain/keyword-terms.js';
import type { Connection } from './connection.js';
import type { MemoryTerms } from './keyword-backlog.js';
import { indexedTerm } from './keyword-terms.js';
import { splitNumbers } from './numbers.js';
import type { OrganizationCounts } from './organizations.js';

/** A memory that has words of the query. */
export interface Relevant {
  seq: number;
  relevance: number;
}

export interface KeywordScope {
  org: number;
  counts: OrganizationCounts;
  /** Memories whose words the index does not have yet. */
  backlog: readonly MemoryTerms[];
  includeDeleted: boolean;
  /** Whether a memory may be answered. */
  isAllowed: (seq: number) => boolean;
}

/** The usual constants of BM25: how soon repeats stop counting, and how much length does. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/** A word is common that so many memories have, and so large a part of them: its list is long and tells little. */
const COMMON = { memories: 1_000, share: 0.25 };

interface Term {
  term: string;
  /** Weight of a word that so few memories have. */
  rarity: number;
}

/**
 * The memories with any of the query's words that are best by BM25, best first.
 *
 * Rarity and average length are those of the organization, so neither the
 * order nor the numbers tell anything about the others.
 *
 * Words are taken in from the rarest on. Once a memory that has none of them
 * cannot reach the best any more, the lists of the remaining words, which are
 * long, are left unread: the memories in question are counted in themselves.
 */
export function relevantTo(connection: Connection, scope: KeywordScope, text: string, limit: number): Relevant[] {
  const terms = termsByRarity(connection, scope, text);
  const relevance = new Map<number, number>();
  for (const [index, term] of terms.entries()) {
    addPostings(connection, scope, term, relevance);
    const rest = terms.slice(index + 1);
    if (rest.length > 0 && leastOfBest(relevance, limit, mostOf(rest)) >= mostOf(rest)) {
      return withRest(connection, scope, relevance, rest, limit);
    }
  }
  return ranked(relevance).slice(0, limit);
}

/** The query's words, rarest first, without the common ones unless all are. */
function termsByRarity(connection: Connection, { org, counts, backlog }: KeywordScope, text: string): Term[] {
  const memories = counts.active + counts.deleted;
  const known = [...new Set(termsOf(text))]
    .flatMap((term) => {
      const sql = 'SELECT doc FROM keyword_terms WHERE term = ?';
      const indexed = connection.get<{ doc: number }>(sql, indexedTerm(org, term))?.doc ?? 0;
      const found = indexed + backlog.filter(({ terms }) => terms.includes(term)).length;
      return found === 0 ? [] : [{ term, found, rarity: Math.log(1 + (memories - found + 0.5) / (found + 0.5)) }];
    })
    .sort((a, b) => b.rarity - a.rarity);
  const telling = known.filter(({ found }) => found <= Math.max(COMMON.memories, memories * COMMON.share));
  return telling.length > 0 ? telling : known;
}

/** A memory that has a word: how often, and how many words it has. */
interface Posting {
  seq: number;
  times: number;
  words: number;
}

/** Adds what a word is worth to every memory that has it. */
function addPostings(connection: Connection, scope: KeywordScope, term: Term, relevance: Map<number, number>): void {
  for (const { seq, times, words } of [...indexed(connection, scope, term), ...waiting(connection, scope, term)]) {
    if (!scope.isAllowed(seq)) continue;
    relevance.set(seq, (relevance.get(seq) ?? 0) + weightOf(scope, term, times, words));
  }
}

function indexed(connection: Connection, { org, includeDeleted }: KeywordScope, { term }: Term): Posting[] {
  const row = connection.get<{ seqs: string | null; times: string | null; words: string | null }>(
    `SELECT group_concat(m.seq) AS seqs, group_concat(k.times) AS times, group_concat(m.words) AS words
       FROM (SELECT doc, count(*) AS times FROM keyword_instances WHERE term = ? GROUP BY doc) k
       CROSS JOIN memories m ON m.seq = k.doc WHERE ${includeDeleted ? 'TRUE' : 'm.deleted_at IS NULL'}`,
    indexedTerm(org, term),
  );
  const times = splitNumbers(row?.times);
  const words = splitNumbers(row?.words);
  return splitNumbers(row?.seqs).map((seq, index) => ({ seq, times: times[index] ?? 0, words: words[index] ?? 0 }));
}

function waiting(connection: Connection, { backlog, includeDeleted }: KeywordScope, { term }: Term): Posting[] {
  return backlog.flatMap(({ seq, terms }) => {
    const times = terms.filter((each) => each === term).length;
    if (times === 0) return [];
    const sql = 'SELECT deleted_at FROM memories WHERE seq = ?';
    const isActive = connection.get<{ deleted_at: number | null }>(sql, seq)?.deleted_at === null;
    return isActive || includeDeleted ? [{ seq, times, words: terms.length }] : [];
  });
}

function weightOf({ counts }: KeywordScope, { rarity }: Term, times: number, words: number): number {
  const averageWords = Math.max(1, counts.words / Math.max(1, counts.active + counts.deleted));
  const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * words) / averageWords;
  return (rarity * times * (SATURATION + 1)) / (times + SATURATION * length);
}

/** What no memory can get more of from these words. */
function mostOf(terms: readonly Term[]): number {
  return terms.reduce((sum, { rarity }) => sum + rarity * (SATURATION + 1), 0);
}

/** What a memory must have to be among the best so far; not worked out where none has `hoped`. */
function leastOfBest(relevance: ReadonlyMap<number, number>, limit: number, hoped = 0): number {
  let reached = 0;
  for (const sum of relevance.values()) if (sum >= hoped) reached += 1;
  if (reached < limit) return Number.NEGATIVE_INFINITY;
  return ranked(relevance)[limit - 1]?.relevance ?? Number.NEGATIVE_INFINITY;
}

/** Finishes the sums of the memories that can still be among the best, from their contents. */
function withRest(
  connection: Connection,
  scope: KeywordScope,
  relevance: ReadonlyMap<number, number>,
  rest: readonly Term[],
  limit: number,
): Relevant[] {
  const most = mostOf(rest);
  const best = new Map<number, number>();
  let least = Number.NEGATIVE_INFINITY;
  for (const { seq, relevance: sum } of ranked(relevance)) {
    if (sum + most < least) break;
    best.set(seq, sum + weightInContent(connection, scope, seq, rest));
    if (best.size % limit === 0) least = leastOfBest(best, limit);
  }
  return ranked(best).slice(0, limit);
}

function weightInContent(connection: Connection, scope: KeywordScope, seq: number, terms: readonly Term[]): number {
  const row = connection.get<{ content: string }>('SELECT content FROM memories WHERE seq = ?', seq);
  const words = termsOf(row?.content ?? '');
  return terms.reduce((sum, term) => {
    const times = words.filter((word) => word === term.term).length;
    return sum + weightOf(scope, term, times, words.length);
  }, 0);
}

function ranked(relevance: ReadonlyMap<number, number>): Relevant[] {
  return Array.from(relevance, ([seq, sum]) => ({ seq, relevance: sum })).sort(
    (a, b) => b.relevance - a.relevance || a.seq - b.seq,
  );
}
