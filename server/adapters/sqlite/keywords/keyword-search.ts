import {
  type AskedTerms,
  type ChosenTerms,
  type QueryTerm,
  queryTerms,
  rarestTerms,
} from '../../../domain/retrieval/query-terms.js';
import { BM25, mostOf } from '../../../domain/retrieval/ranking.js';
import type { AssertWanted } from '../engine/abandonment.js';
import type { Connection } from '../engine/connection.js';
import type { OrganizationCounts } from '../engine/organizations.js';
import type { MemoryTerms } from './keyword-backlog.js';
import { addBounds, type Bounds, descending } from './keyword-bounds.js';
import { backlogPostings, type Postings, readPostings, timesIn } from './keyword-postings.js';
import { indexedTerm } from './keyword-terms.js';

/** What a keyword search finds. */
export interface RelevantFound {
  /** Best first. */
  found: Relevant[];
  /** Whether the query has more words than were searched for. */
  wordsLeftOut: boolean;
  /** What no relevance is above. */
  most: number;
}

/** A memory that has words of the query. */
export interface Relevant {
  seq: number;
  relevance: number;
}

interface KeywordScope {
  org: number;
  counts: OrganizationCounts;
  /** Memories whose words the index does not have yet. */
  backlog: readonly MemoryTerms[];
  includeDeleted: boolean;
  /** Whether a memory may be answered. */
  isAllowed: (seq: number) => boolean;
  /** Called between the words of the query, and between parts of the memories. */
  assertWanted: AssertWanted;
}

/**
 * The memories with any of the query's words that are best by BM25, best first.
 *
 * Rarity and average length are those of the organization, so neither the
 * order nor the numbers tell anything about the others.
 *
 * What a memory is worth depends on its length, which is read only of those
 * that could be among the best if they were short.
 */
export function relevantTo(connection: Connection, scope: KeywordScope, text: string, limit: number): RelevantFound {
  const asked = queryTerms(text);
  const backlog = backlogPostings(scope.backlog, asked.counted);
  const chosen = rarestOf(connection, scope, asked, backlog);
  const terms = chosen.terms.map((term) => {
    scope.assertWanted();
    return { ...term, postings: readPostings(connection, scope.org, term.term, backlog.get(term.term)) };
  });
  let best: Relevant[] = [];
  for (const { seqs, laterAtMost } of descending(boundsOf(scope, terms))) {
    scope.assertWanted();
    best = bestOf([...best, ...measured(connection, scope, terms, seqs)], limit);
    if (best.length === limit && (best.at(-1)?.relevance ?? 0) > laterAtMost) break;
  }
  return { found: best, wordsLeftOut: asked.wordsLeftOut || chosen.wordsLeftOut, most: chosen.most };
}

/** The words that are searched for. */
function rarestOf(
  connection: Connection,
  { org, counts, assertWanted }: KeywordScope,
  { counted, secondary }: AskedTerms,
  backlog: ReadonlyMap<string, Postings>,
): ChosenTerms {
  const numbers = counted.map((term) => {
    assertWanted();
    const sql = 'SELECT doc FROM keyword_terms WHERE term = ?';
    const indexed = connection.get<{ doc: number }>(sql, indexedTerm(org, term))?.doc ?? 0;
    return [term, indexed + (backlog.get(term)?.seqs.length ?? 0)] as const;
  });
  return rarestTerms(numbers, counts.active + counts.deleted, secondary);
}

/** A word of the query and who has it. */
interface ReadTerm extends QueryTerm {
  postings: Postings;
}

/** What each memory is worth if it is as short as none is. */
function boundsOf(scope: KeywordScope, terms: readonly ReadTerm[]): Bounds {
  let bounds: Bounds = { seqs: [], bounds: [] };
  for (const term of terms) {
    scope.assertWanted();
    bounds = addBounds(bounds, term.postings, (times) => weightOf(scope, term, times, 0));
  }
  return bounds;
}

/** What memories are worth, of those that may be answered. */
function measured(
  connection: Connection,
  scope: KeywordScope,
  terms: readonly ReadTerm[],
  seqs: readonly number[],
): Relevant[] {
  const rows = connection.all<{ seq: number; words: number }>(
    `SELECT seq, words FROM memories WHERE seq IN (SELECT value FROM json_each(?))
       ${scope.includeDeleted ? '' : 'AND deleted_at IS NULL'}`,
    JSON.stringify(seqs.filter(scope.isAllowed)),
  );
  return rows.map(({ seq, words }) => ({
    seq,
    relevance: terms.reduce((sum, term) => sum + weightOf(scope, term, timesIn(term.postings, seq), words), 0),
  }));
}

function weightOf({ counts }: KeywordScope, { rarity }: QueryTerm, times: number, words: number): number {
  const averageWords = Math.max(1, counts.words / Math.max(1, counts.active + counts.deleted));
  const length = 1 - BM25.lengthWeight + (BM25.lengthWeight * words) / averageWords;
  return (mostOf(rarity) * times) / (times + BM25.saturation * length);
}

function bestOf(found: Relevant[], limit: number): Relevant[] {
  return found.sort((a, b) => b.relevance - a.relevance || a.seq - b.seq).slice(0, limit);
}
