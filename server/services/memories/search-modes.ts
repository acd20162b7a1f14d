import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Memory } from '../../domain/memory/memory.js';
import { hybridScore, keywordScore, wordShare } from '../../domain/retrieval/ranking.js';
import { blendRecency, type Recency } from '../../domain/retrieval/recency.js';
import type { SearchScope, VectorQuery } from '../../ports/memory-reader.js';
import type { ExpireDeps } from './expire.js';
import { type Explanation, type KeywordPlace, keywordPlaces } from './explain.js';

export type SearchMode = 'vector' | 'keyword' | 'hybrid';

export type SearchDeps = ExpireDeps & Pick<Deps, 'embedder' | 'billing'>;

export interface SearchMatch {
  memory: Memory;
  /** Orders the results; in [0, 1]. */
  score: number;
  /** Cosine, clipped to [0, 1]. Undefined in keyword mode. */
  similarity?: number;
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

/** A search with its conditions. */
export interface Prepared {
  query: string;
  /** Returns the vector of the query, which is computed once. */
  embed: () => Promise<Float32Array>;
  scope: SearchScope;
  /** The best so many are complete and in order. */
  limit: number;
  recency: Recency;
  minScore?: number | undefined;
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
    vector: await search.embed(),
    limit: search.limit,
    exact: search.exact,
    ...(search.minScore !== undefined && { minSimilarity: search.minScore }),
    ...(search.recency.weight > 0 && { recency: search.recency }),
  };
  const matches = await deps.store.memories.nearest(caller.organizationId, query, caller.signal);
  return { matches, wordsLeftOut: false, isAll: matches.length < search.limit };
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
  const vector = await search.embed();
  const { scope, exact } = search;
  const limit = Math.max(MAX_CANDIDATES, search.limit);
  const [near, found] = await Promise.all([
    memories.nearest(organizationId, { ...scope, vector, limit, exact }, signal),
    memories.matching(organizationId, { ...scope, text: search.query, limit }, signal),
  ]);
  const { matches: worded, wordsLeftOut, most } = found;
  const shares = new Map(worded.map(({ memory, relevance }) => [memory.id, wordShare(relevance, most)]));
  const share = ({ memory }: Pick<SearchMatch, 'memory'>) => shares.get(memory.id) ?? 0;
  const candidates = new Map<string, Found>([...worded, ...near].map((match) => [match.memory.id, match]));
  const farthest = near.at(-1)?.similarity ?? 0;
  const wanted = withinReach(search, [...candidates.values()], { share, farthest });
  const measured = await withSimilarity(deps, caller, { ...scope, vector }, wanted);
  const similar = measured.filter(({ similarity }) => similarity >= (search.minScore ?? 0));
  const scored = similar.map((match) => ({ ...match, score: hybridScore(match.similarity, share(match)) }));
  return {
    matches: inOrder(search, scored),
    wordsLeftOut,
    isAll: near.length < limit || farthest < (search.minScore ?? 0),
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
  // The minimum similarity may exclude any of the best, and a document has only one of its memories in the results.
  if (search.minScore !== undefined || search.groupBy) return [...found];
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
  query: Pick<VectorQuery, 'vector' | keyof SearchScope>,
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
    .sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1));
}
