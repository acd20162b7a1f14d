import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Memory } from '../../domain/memory/memory.js';
import { hybridScore, keywordScore, wordShare } from '../../domain/retrieval/ranking.js';
import { blendRecency, type Recency } from '../../domain/retrieval/recency.js';
import type { Match, SearchScope, VectorQuery } from '../../ports/memory-reader.js';
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
  embed: () => Promise<Pick<VectorQuery, 'vector' | 'fingerprint'>>;
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
  const query = {
    ...search.scope,
    ...(await search.embed()),
    limit: search.limit,
    exact: search.exact,
    minSimilarity: minSimilarityOf(search),
    ...(search.recency.weight > 0 && { recency: search.recency }),
  };
  const near = await deps.store.memories.nearest(caller.organizationId, query, caller.signal);
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
  { organizationId, signal }: Caller,
  search: Prepared,
  near: readonly Match[],
): Promise<Match[]> {
  const { scope, minScore = 0, relevance, recency } = search;
  // Without recency, less similar memories are worse than the results.
  const isFull = recency.weight === 0 && near.length >= search.limit;
  if (relevance.minSimilarity <= minScore || isFull) return [];
  const query = { ...scope, ...(await search.embed()), limit: MAX_SAME_TEXTS, minSimilarity: minScore };
  const nearest = await store.memories.nearest(organizationId, query, signal);
  const known = new Set(near.map(({ memory }) => memory.id));
  return nearest
    .filter((match) => relevance.isSame(match) && !known.has(match.memory.id))
    .map((match) => ({ ...match, score: blendRecency(match.similarity, match.memory.createdAt, recency) }));
}

async function searchByKeyword(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  const limit = search.recency.weight > 0 ? Math.max(MAX_CANDIDATES, search.limit) : search.limit;
  const query = { ...search.scope, text: search.query, limit };
  const found = await deps.store.memories.matching(caller.organizationId, query, caller.signal);
  const matches = found.matches.map(({ memory, relevance }) => ({ memory, score: keywordScore(relevance) }));
  return {
    matches: inOrder(search, matches),
    wordsLeftOut: found.wordsLeftOut,
    isAll: found.matches.length < limit,
    ...(search.explain && { keywords: keywordPlaces(found) }),
  };
}

/** Adds the scores of meaning and words, so that it finds both exact tokens and paraphrases. */
async function searchByBoth(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  const { memories } = deps.store;
  const { organizationId, signal } = caller;
  const embedded = await search.embed();
  const { scope, exact } = search;
  const limit = Math.max(MAX_CANDIDATES, search.limit);
  const [near, found] = await Promise.all([
    memories.nearest(organizationId, { ...scope, ...embedded, limit, exact }, signal),
    memories.matching(organizationId, { ...scope, text: search.query, limit }, signal),
  ]);
  const { matches: worded, wordsLeftOut, most } = found;
  const shares = new Map(worded.map(({ memory, relevance }) => [memory.id, wordShare(relevance, most)]));
  const share = ({ memory }: Pick<SearchMatch, 'memory'>) => shares.get(memory.id) ?? 0;
  const candidates = new Map<string, Found>([...worded, ...near].map((match) => [match.memory.id, match]));
  const farthest = near.at(-1)?.similarity ?? 0;
  const wanted = withinReach(search, [...candidates.values()], { share, farthest });
  const measured = await withSimilarity(deps, caller, { ...scope, ...embedded }, wanted);
  const { minScore = 0, relevance } = search;
  const similar = measured.filter((match) => match.similarity >= minScore && relevance.isEnough(match));
  const scored = similar.map((match) => ({ ...match, score: hybridScore(match.similarity, share(match)) }));
  return {
    matches: inOrder(search, scored),
    wordsLeftOut,
    isAll: near.length < limit || farthest < minSimilarityOf(search),
    ...(search.explain && { keywords: keywordPlaces(found) }),
  };
}

/** A candidate. Its similarity is unknown if only its words matched. */
type Found = Pick<SearchMatch, 'memory' | 'similarity'>;

/**
 * Returns the candidates that can be among the results. One that only its words matched is at most as similar as the
 * farthest one found by meaning.
 */
function withinReach(
  search: Prepared,
  found: readonly Found[],
  { share, farthest }: { share: (match: Found) => number; farthest: number },
): Found[] {
  // A minimum may exclude any of the best, and a document has only one of its memories in the results.
  if (search.minScore !== undefined || search.relevance.min > 0 || search.groupBy) return [...found];
  const atLeast = found.map((match) => ({ ...match, score: hybridScore(match.similarity ?? 0, share(match)) }));
  const worst = inOrder(search, atLeast)[search.limit - 1]?.score ?? 0;
  const blend = search.recency;
  return found.filter((match) => {
    const atMost = hybridScore(match.similarity ?? farthest, share(match));
    return blendRecency(atMost, match.memory.createdAt, blend) >= worst;
  });
}

/** Adds the similarities of memories that the vector search did not return. */
async function withSimilarity(
  { store }: SearchDeps,
  { organizationId, signal }: Caller,
  query: Pick<VectorQuery, 'vector' | 'fingerprint' | keyof SearchScope>,
  matches: readonly Found[],
): Promise<{ memory: Memory; similarity: number }[]> {
  const ids = matches.filter(({ similarity }) => similarity === undefined).map(({ memory }) => memory.id);
  const measured =
    ids.length === 0 ? [] : await store.memories.nearest(organizationId, { ...query, limit: ids.length, ids }, signal);
  const similarities = new Map(measured.map(({ memory, similarity }) => [memory.id, similarity]));
  return matches.map(({ memory, similarity }) => ({
    memory,
    similarity: similarity ?? similarities.get(memory.id) ?? 0,
  }));
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
