import { CONTEXT_CANDIDATES, relevanceOf, weightOf } from '../../../domain/retrieval/context.js';
import {
  type AskedTerms,
  type ChosenTerms,
  type QueryTerm,
  queryTerms,
  rarestTerms,
} from '../../../domain/retrieval/query-terms.js';
import type { AssertWanted } from '../engine/abandonment.js';
import type { Connection } from '../engine/connection.js';
import { splitNumbers } from '../engine/numbers.js';
import type { OrganizationCounts } from '../engine/organizations.js';
import { type ContextScope, hasChunks, rankInContext } from './chunk-context.js';
import type { MemoryTerms } from './keyword-backlog.js';
import { addBounds, type Bounds, descending } from './keyword-bounds.js';
import { backlogPostings, type Postings, readPostings, timesIn } from './keyword-postings.js';
import { indexedTerm } from './keyword-terms.js';
import { termCounts } from './term-counts.js';

/** Result of a keyword search. */
export interface RelevantFound {
  /** Best first. */
  found: Relevant[];
  /** True if the query has more words than were used. */
  wordsLeftOut: boolean;
  /** The maximum relevance that a memory can have. */
  most: number;
}

/** A memory that contains words of the query. */
export interface Relevant {
  seq: number;
  relevance: number;
}

interface KeywordScope extends ContextScope {
  counts: OrganizationCounts;
  /** The memories whose words are not in the index yet. */
  backlog: readonly MemoryTerms[];
  includeDeleted: boolean;
  /** Called between the words of the query, and between steps of the memories. */
  assertWanted: AssertWanted;
}

/**
 * Returns the memories that contain a word of the query and score best by BM25, best first.
 *
 * Rarity and average length are computed within the organization, so neither
 * order nor scores reveal anything about other organizations.
 *
 * The score depends on the length of a memory. The length is read only for
 * memories that could be among the best if they were short.
 *
 * If the organization has chunks, the best are ranked again with the words of
 * their neighbours. A neighbour that does not match the filter gives its
 * words, but is not returned.
 */
export function relevantTo(connection: Connection, scope: KeywordScope, text: string, limit: number): RelevantFound {
  const asked = queryTerms(text);
  const backlog = backlogPostings(scope.backlog, asked.counted);
  const chosen = rarestOf(connection, scope, asked, backlog);
  const terms = chosen.terms.map((term) => {
    scope.assertWanted();
    return { ...term, postings: readPostings(connection, scope.org, term.term, backlog.get(term.term)) };
  });
  const answer = { wordsLeftOut: asked.wordsLeftOut || chosen.wordsLeftOut, most: chosen.most };
  const bounds = boundsOf(scope, terms);
  const best = (within: KeywordScope, most: number) => bestWithin(connection, within, { terms, bounds }, most);
  if (!hasChunks(connection, scope.org)) return { ...answer, found: best(scope, limit) };

  const number = Math.max(limit, CONTEXT_CANDIDATES);
  const allActive = { ...scope, includeDeleted: false, isAllowed: undefined };
  const others = scope.includeDeleted || scope.isAllowed ? best(allActive, number) : [];
  const candidates = [...best(scope, number), ...others].map(({ seq }) => seq);
  const averageWords = averageOf(scope);
  const ranked = rankInContext(connection, scope, candidates, (seq) =>
    terms.map((term) => timesIn(term.postings, seq)),
  );
  const relevant = ranked.map(({ key, ...each }) => ({ seq: key, relevance: relevanceOf(terms, each, averageWords) }));
  return {
    ...answer,
    found: bestOf(
      relevant.filter(({ relevance }) => relevance > 0),
      limit,
    ),
  };
}

/** Returns the rarest words. Omits common words, unless all are common. */
function rarestOf(
  connection: Connection,
  { org, counts, assertWanted }: KeywordScope,
  { counted, secondary }: AskedTerms,
  backlog: ReadonlyMap<string, Postings>,
): ChosenTerms {
  const countIndexed = termCounts(connection);
  const numbers = counted.map((term) => {
    assertWanted();
    return [term, countIndexed(indexedTerm(org, term)) + (backlog.get(term)?.seqs.length ?? 0)] as const;
  });
  return rarestTerms(numbers, counts.active + counts.deleted, secondary);
}

/** A word of the query and the memories that contain it. */
interface ReadTerm extends QueryTerm {
  postings: Postings;
}

/** Returns an upper bound of each memory's score: that of length 0. */
function boundsOf(scope: KeywordScope, terms: readonly ReadTerm[]): Bounds {
  let bounds: Bounds = { seqs: [], bounds: [] };
  for (const term of terms) {
    scope.assertWanted();
    bounds = addBounds(bounds, term.postings, (times) => weightOf(term.rarity, times, 0));
  }
  return bounds;
}

/** Returns the memories that score best by their own words. Reads no lengths of memories that cannot be among them. */
function bestWithin(
  connection: Connection,
  scope: KeywordScope,
  { terms, bounds }: { terms: readonly ReadTerm[]; bounds: Bounds },
  limit: number,
): Relevant[] {
  let best: Relevant[] = [];
  for (const { seqs, laterAtMost } of descending(bounds)) {
    scope.assertWanted();
    best = bestOf([...best, ...measured(connection, scope, terms, seqs)], limit);
    if (best.length === limit && (best.at(-1)?.relevance ?? 0) > laterAtMost) break;
  }
  return best;
}

/** Returns the scores of the memories that may be returned. */
function measured(
  connection: Connection,
  scope: KeywordScope,
  terms: readonly ReadTerm[],
  seqs: readonly number[],
): Relevant[] {
  const { isAllowed } = scope;
  // The numbers come in one row: one row for each memory costs several times as much.
  const row = connection.get<{ seqs: string | null; lengths: string | null }>(
    `SELECT group_concat(seq) AS seqs, group_concat(words) AS lengths
       FROM memories WHERE seq IN (SELECT value FROM json_each(?)) ${scope.includeDeleted ? '' : 'AND deleted_at IS NULL'}`,
    JSON.stringify(isAllowed ? seqs.filter(isAllowed) : seqs),
  );
  const lengths = splitNumbers(row?.lengths);
  const averageWords = averageOf(scope);
  return splitNumbers(row?.seqs).map((seq, at) => {
    const times = terms.map((term) => timesIn(term.postings, seq));
    return { seq, relevance: relevanceOf(terms, { times, words: lengths[at] ?? 0 }, averageWords) };
  });
}

function averageOf({ counts }: KeywordScope): number {
  return Math.max(1, counts.words / Math.max(1, counts.active + counts.deleted));
}

function bestOf(found: Relevant[], limit: number): Relevant[] {
  return found.sort((a, b) => b.relevance - a.relevance || a.seq - b.seq).slice(0, limit);
}
