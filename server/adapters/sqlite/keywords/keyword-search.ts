import { CONTEXT_CANDIDATES, relevanceOf, weightOf } from '../../../domain/retrieval/context.js';
import {
  type AskedTerms,
  type ChosenTerms,
  type QueryTerm,
  queryTerms,
  rarestTerms,
} from '../../../domain/retrieval/query-terms.js';
import type { Connection } from '../engine/connection.js';
import type { OrganizationCounts } from '../engine/organizations.js';
import { splitNumbers } from '../engine/statements/numbers.js';
import type { AssertWanted } from '../engine/threads/abandonment.js';
import { type ContextScope, hasChunks, rankInContext } from './chunk-context.js';
import type { MemoryTerms } from './keyword-backlog.js';
import { type Bounds, boundsOf, descending } from './keyword-bounds.js';
import { type KeywordIndex, keywordIndex } from './keyword-index.js';
import { backlogPostings, joinedPostings, type Postings, timesIn } from './keyword-postings.js';
import { indexedTerm } from './keyword-terms.js';

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
  const index = keywordIndex(connection);
  const chosen = rarestOf(index, scope, asked, backlog);
  const terms = chosen.terms.map((term) => {
    scope.assertWanted();
    const indexed = index.postings(indexedTerm(scope.org, term.term));
    return { ...term, postings: joinedPostings(indexed, backlog.get(term.term)) };
  });
  const answer = { wordsLeftOut: asked.wordsLeftOut || chosen.wordsLeftOut, most: chosen.most };
  // The highest score of a memory is that of length 0.
  const maxWeightOf = (term: number, times: number) => weightOf((terms[term] as ReadTerm).rarity, times, 0);
  const bounds = boundsOf(
    terms.map(({ postings }) => postings),
    maxWeightOf,
    scope.assertWanted,
  );
  const best = (within: KeywordScope, most: number) => bestWithin({ connection, index, terms, bounds }, within, most);
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

/**
 * Number of words of an organization up to which the memories with a word are read to count them. Looking a word up takes most
 * of the time then, and almost all of these words are searched for.
 */
const READ_AT_ONCE = 100_000;

/** Returns the rarest words. Omits common words, unless all are common. */
function rarestOf(
  index: KeywordIndex,
  { org, counts, assertWanted }: KeywordScope,
  { counted, secondary }: AskedTerms,
  backlog: ReadonlyMap<string, Postings>,
): ChosenTerms {
  const all = counts.active + counts.deleted;
  const numbered = (term: string) => {
    assertWanted();
    const name = indexedTerm(org, term);
    const indexed = counts.words <= READ_AT_ONCE ? index.postings(name).seqs.length : index.count(name);
    return [term, indexed + (backlog.get(term)?.seqs.length ?? 0)] as const;
  };
  const telling = counted.filter((term) => !secondary.has(term)).map(numbered);
  const isAnyFound = telling.some(([, number]) => number > 0);
  const others = isAnyFound ? [] : counted.filter((term) => secondary.has(term)).map(numbered);
  return rarestTerms([...telling, ...others], all, secondary);
}

/** A word of the query and the memories that contain it. */
interface ReadTerm extends QueryTerm {
  postings: Postings;
}

/** The words of a query, and the memories that contain one. */
interface Asked {
  connection: Connection;
  index: KeywordIndex;
  terms: readonly ReadTerm[];
  bounds: Bounds;
}

/** Returns the memories that score best by their own words. Reads no lengths of memories that cannot be among them. */
function bestWithin(asked: Asked, scope: KeywordScope, limit: number): Relevant[] {
  let best: Relevant[] = [];
  for (const { memories, laterAtMost } of descending(asked.bounds)) {
    scope.assertWanted();
    const lowest = best[limit - 1]?.relevance ?? Number.NEGATIVE_INFINITY;
    const better = measured(asked, scope, memories).filter(({ relevance }) => relevance >= lowest);
    best = bestOf([...best, ...returnable(asked.connection, scope, better)], limit);
    if (best.length === limit && (best.at(-1)?.relevance ?? 0) > laterAtMost) break;
  }
  return best;
}

/** Returns the scores of the memories that are allowed. */
function measured({ index, terms, bounds }: Asked, scope: KeywordScope, memories: Uint32Array): Relevant[] {
  const { isAllowed } = scope;
  const seqOf = (memory: number) => bounds.seqs[memory] as number;
  const allowed = isAllowed ? memories.filter((memory) => isAllowed(seqOf(memory))) : memories;
  const lengths = index.lengths(Array.from(allowed, seqOf));
  const averageWords = averageOf(scope);
  const relevant: Relevant[] = [];
  for (const memory of allowed) {
    const seq = seqOf(memory);
    const words = lengths.get(seq);
    if (words !== undefined)
      relevant.push({ seq, relevance: relevanceIn(bounds, memory, terms, words / averageWords) });
  }
  return relevant;
}

/** Returns the same as `relevanceOf`, which also adds 0 for each word that the memory does not contain. */
function relevanceIn(
  { starts, terms: contained, times }: Bounds,
  memory: number,
  terms: readonly QueryTerm[],
  relativeLength: number,
): number {
  let relevance = 0;
  for (let entry = starts[memory] as number; entry < (starts[memory + 1] as number); entry += 1) {
    const { rarity } = terms[contained[entry] as number] as QueryTerm;
    relevance += weightOf(rarity, times[entry] as number, relativeLength);
  }
  return relevance;
}

/** Omits deleted memories, unless they may be returned. */
function returnable(
  connection: Connection,
  { includeDeleted, counts }: KeywordScope,
  found: readonly Relevant[],
): readonly Relevant[] {
  if (includeDeleted || counts.deleted === 0 || found.length === 0) return found;
  const sql = `SELECT group_concat(seq) AS seqs FROM memories
    WHERE seq IN (SELECT value FROM json_each(?)) AND deleted_at IS NOT NULL`;
  const row = connection.get<{ seqs: string | null }>(sql, JSON.stringify(found.map(({ seq }) => seq)));
  const deleted = new Set(splitNumbers(row?.seqs));
  return deleted.size === 0 ? found : found.filter(({ seq }) => !deleted.has(seq));
}

function averageOf({ counts }: KeywordScope): number {
  return Math.max(1, counts.words / Math.max(1, counts.active + counts.deleted));
}

function bestOf(found: Relevant[], limit: number): Relevant[] {
  return found.sort((a, b) => b.relevance - a.relevance || a.seq - b.seq).slice(0, limit);
}
