import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Memory } from '../../domain/memory/memory.js';
import { hybridScore, keywordScore, wordShare } from '../../domain/retrieval/ranking.js';
import { blendRecency, type Recency } from '../../domain/retrieval/recency.js';
import type { ComparedVector, KeptMatches, Match, SearchScope, VectorQuery } from '../../ports/memory-reader.js';
import type { ExpireDeps } from '../memories/expire.js';
import { type Explanation, type KeywordPlace, keywordPlaces } from './explain.js';
import type { Relevance } from './search-relevance.js';

export type SearchMode = 'vector' | 'keyword' | 'hybrid';

export type SearchDeps = ExpireDeps & Pick<Deps, 'embedder' | 'billing'>;

export interface SearchMatch {
  memory: Memory;
  /** Orders the results; in [0, 1]. */
  score: number;
  /** Cosine, clipped to [0, 1]. Undefined in keyword mode. */
  similarity?: number;
  /** In [0, 1]. Set with the similarity in the answer of a search. */
  relevance?: number;
  /** In [0, 1]. Set if a reranker compared the memory with the query. */
  rerank?: number;
  explanation?: Explanation;
  /** Document of the memory. Set if results are grouped. */
  group?: SearchGroup;
}

export interface SearchGroup {
  documentId: string;
  /** Number of other memories of the document that match the filter. */
  others: number;
}

/** Fewest candidates of each ranking in a hybrid search, and in a keyword search with recency. */
const MAX_CANDIDATES = 100;

/** Candidates for memories with the text of the query, which are among its nearest. */
const MAX_SAME_TEXTS = 50;

/** A search with its conditions. */
export interface Prepared {
  query: string;
  /** Returns the vector of the query and its embedder. It is computed once. */
  embed: () => Promise<ComparedVector>;
  scope: SearchScope;
  /** The best so many are complete and in order. */
  limit: number;
  recency: Recency;
  minScore?: number | undefined;
  relevance: Relevance;
  exact: boolean;
  explain: boolean;
  groupBy?: 'documentId' | undefined;
}

export interface Ranked {
  /** Best first; they may be more than `limit`. */
  matches: SearchMatch[];
  wordsLeftOut: boolean;
  /** True if no other memory matches. */
  isAll: boolean;
  /** Place of each memory in the ranking by words. Undefined if there was none. */
  keywords?: ReadonlyMap<string, KeywordPlace>;
}

type Mode = (deps: SearchDeps, caller: Caller, search: Prepared) => Promise<Ranked>;

export const MODES: Record<SearchMode, Mode> = {
  vector: searchByVector,
  keyword: searchByKeyword,
  hybrid: searchByBoth,
};

async function searchByVector(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  const { limit, exact, recency, scope } = search;
  const query: VectorQuery = {
    limit,
    exact,
    minSimilarity: minSimilarityOf(search),
    ...scope,
    ...(await search.embed()),
  };
  if (recency.weight > 0) query.recency = recency;
  const near = await deps.store.memories.nearest(caller.organizationId, query, caller.gone?.signal);
  const same = await sameTexts(deps, caller, search, near);
  return {
    matches: [...near.filter((match) => search.relevance.isEnough(match)), ...same].sort(byScore),
    wordsLeftOut: false,
    isAll: near.length < search.limit,
  };
}

/** Returns the minimum similarity of a memory that has another text than the query. */
function minSimilarityOf({ minScore = 0, relevance }: Prepared): number {
  return Math.max(minScore, relevance.minSimilarity);
}

/** Returns memories with the text of the query that only the minimum relevance excluded from a search. */
async function sameTexts(
  { store }: SearchDeps,
  { organizationId, gone }: Caller,
  search: Prepared,
  near: readonly Match[],
): Promise<Match[]> {
  const { scope, minScore = 0, relevance, recency } = search;
  // Without recency, less similar memories are worse than the results.
  const isFull = recency.weight === 0 && near.length >= search.limit;
  if (relevance.minSimilarity <= minScore || isFull) return [];
  const query = { ...scope, ...(await search.embed()), limit: MAX_SAME_TEXTS, minSimilarity: minScore };
  const nearest = await store.memories.nearest(organizationId, query, gone?.signal);
  const known = new Set(near.map(({ memory }) => memory.id));
  return nearest
    .filter((match) => relevance.isSame(match) && !known.has(match.memory.id))
    .map((match) => ({ ...match, score: blendRecency(match.similarity, match.memory.createdAt, recency) }));
}

async function searchByKeyword(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  const limit = search.recency.weight > 0 ? Math.max(MAX_CANDIDATES, search.limit) : search.limit;
  const kept = keptBy(search, ({ relevance }) => keywordScore(relevance));
  const query = { ...search.scope, text: search.query, limit, ...(limit > search.limit && kept) };
  const found = await deps.store.memories.matching(caller.organizationId, query, caller.gone?.signal);
  const matches = found.matches.map(({ memory, relevance }) => ({ memory, score: keywordScore(relevance) }));
  return {
    matches: inOrder(search, matches),
    wordsLeftOut: found.wordsLeftOut,
    isAll: found.matches.length < (query.kept?.limit ?? limit),
    ...(search.explain && { keywords: keywordPlaces(found) }),
  };
}

/** Adds the scores of meaning and words, so that it finds both exact tokens and paraphrases. */
async function searchByBoth(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  const { memories } = deps.store;
  const { organizationId, gone } = caller;
  const embedded = await search.embed();
  const { scope, exact } = search;
  const limit = Math.max(MAX_CANDIDATES, search.limit);
  const nearest = mayPassOver(search) ? limit : search.limit;
  const kept = keptBy(search, ({ similarity, relevance }, most) =>
    similarity < (search.minScore ?? 0) ? undefined : hybridScore(similarity, wordShare(relevance, most)),
  );
  const words = { ...scope, text: search.query, limit, comparedTo: embedded, ...kept };
  // The ranking by words begins first: another thread may do it, while this one compares vectors.
  const [found, near] = await Promise.all([
    memories.matching(organizationId, words, gone?.signal),
    memories.nearest(organizationId, { ...scope, ...embedded, limit: nearest, exact }, gone?.signal),
  ]);
  const { matches: worded, wordsLeftOut, most } = found;
  const shares = new Map(worded.map(({ memory, relevance }) => [memory.id, wordShare(relevance, most)]));
  const candidates = new Map([...worded, ...near].map((match) => [match.memory.id, match]));
  const { minScore = 0, relevance } = search;
  const scored = Array.from(candidates.values(), ({ memory, similarity = 0 }) => ({
    memory,
    similarity,
    score: hybridScore(similarity, shares.get(memory.id) ?? 0),
  }));
  return {
    matches: inOrder(
      search,
      scored.filter((match) => match.similarity >= minScore && relevance.isEnough(match)),
    ),
    wordsLeftOut,
    isAll: near.length < nearest || (near.at(-1)?.similarity ?? 0) < minSimilarityOf(search),
    ...(search.explain && { keywords: keywordPlaces(found) }),
  };
}

/**
 * Reports if a result may have no words of the query and be less similar than `limit` others: one that is newer, has the
 * text of the query, or is of another document. Otherwise each of these scores at least as high.
 */
function mayPassOver({ recency, relevance, groupBy }: Prepared): boolean {
  return recency.weight > 0 || relevance.min > 0 || groupBy !== undefined;
}

/**
 * Keeps the matches by words that can be results, unless that depends on their contents or documents, or an explanation
 * needs the place of each.
 *
 * @param scoreOf the score without recency
 */
function keptBy(
  { limit, recency, relevance, groupBy, explain }: Prepared,
  scoreOf: KeptMatches['scoreOf'],
): { kept?: KeptMatches } {
  if (relevance.min > 0 || groupBy !== undefined || explain) return {};
  const blended: KeptMatches['scoreOf'] = (match, most) => {
    const score = scoreOf(match, most);
    return score === undefined ? undefined : blendRecency(score, match.createdAt, recency);
  };
  return { kept: { limit, scoreOf: blended } };
}

/** Orders matches by score, blended with recency, best first. */
function inOrder(search: Prepared, matches: readonly SearchMatch[]): SearchMatch[] {
  const blend = search.recency;
  return matches
    .map((match) => ({ ...match, score: blendRecency(match.score, match.memory.createdAt, blend) }))
    .sort(byScore);
}

/** Compares matches by score, best first. Of equal ones, the older memory is better. */
export function byScore(one: SearchMatch, other: SearchMatch): number {
  return other.score - one.score || (one.memory.id < other.memory.id ? -1 : 1);
}
