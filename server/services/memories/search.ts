import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { PAGE_BYTES } from '../../domain/fairness/bounds.js';
import type { WireFilter } from '../../domain/memory/filter.js';
import { parseFilter } from '../../domain/memory/filter.js';
import type { Memory } from '../../domain/memory/memory.js';
import { countWithin, memoryBytes } from '../../domain/memory/page-bytes.js';
import { normalizeText } from '../../domain/memory/unicode.js';
import { hybridScore, keywordScore, wordShare } from '../../domain/retrieval/ranking.js';
import { blendRecency, type Recency } from '../../domain/retrieval/recency.js';
import { NotFoundError, UnprocessableError } from '../../errors.js';
import type { ReadScope, VectorQuery } from '../../ports/memory-reader.js';
import { EmbedderReplacedError } from '../../ports/store-errors.js';
import { meteredRead } from '../billing/metered-read.js';
import { readSettings } from '../organization/settings.js';
import { embedQuery, requireEmbedder, withSearchedEmbedder } from './embedding.js';
import { type ExpireDeps, expireDue } from './expire.js';
import { type Explanation, explainMatches, type KeywordPlace, keywordPlaces } from './explain.js';
import { getMemory } from './reads.js';

type SearchMode = 'vector' | 'keyword' | 'hybrid';

export interface SearchInput {
  query: string;
  limit: number;
  mode: SearchMode;
  filter?: WireFilter | undefined;
  includeDeleted: boolean;
  /** Minimum similarity, in [0, 1]. */
  minScore?: number | undefined;
  /** In [0, 1]. */
  recencyWeight: number;
  recencyHalflifeDays: number;
  /** Compares with every vector, even if an index could answer. */
  exact: boolean;
  /** Adds an explanation to each match. */
  explain: boolean;
}

export interface SearchAnswer {
  /** Best first. */
  matches: SearchMatch[];
  /** True if the query has more words than keyword search uses. */
  wordsLeftOut: boolean;
}

export interface SearchMatch {
  memory: Memory;
  /** Orders the results; in [0, 1]. */
  score: number;
  /** Cosine, clipped to [0, 1]. Undefined in keyword mode. */
  similarity?: number;
  explanation?: Explanation;
}

const MAX_QUERY_LENGTH = 8_192;

/** Candidates that keyword and hybrid search rank, before the best `limit` are returned. */
const MAX_CANDIDATES = 100;

type SearchDeps = ExpireDeps & Pick<Deps, 'embedder' | 'billing'>;

/**
 * Returns the memories closest to a query (section 4.11), at most `limit` and `PAGE_BYTES`. Filters apply before the
 * best are selected.
 *
 * @throws {UnprocessableError} for an invalid query or filter
 * @throws {UnavailableError} if another embedder made the stored vectors
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 * @throws {EmbeddingUnavailableError} unless the mode is `keyword`
 */
export async function search(deps: SearchDeps, caller: Caller, input: SearchInput): Promise<SearchAnswer> {
  await expireDue(deps, caller);
  const query = normalizeText(input.query, 'query', { maxCodePoints: MAX_QUERY_LENGTH });
  if (input.mode === 'keyword') assertNoVectorOptions(input);
  const settings = await readSettings(deps, caller);
  const scope = { filter: parseFilter(input.filter, settings, 'json'), includeDeleted: input.includeDeleted };
  if (input.mode !== 'keyword') requireEmbedder(deps, settings);

  const prepared = { ...input, query, scope, recency: toRecency(deps, input) };
  const { matches, wordsLeftOut, keywords } = await meteredRead(deps, caller, () =>
    searchBy(deps, { ...caller, settings }, prepared),
  );
  const count = countWithin(matches, PAGE_BYTES, ({ memory }) => memoryBytes(memory));
  const page = matches.slice(0, count);
  if (!input.explain) return { matches: page, wordsLeftOut };
  return {
    matches: await explainMatches(page, { query, mode: input.mode, recency: prepared.recency, keywords }),
    wordsLeftOut,
  };
}

/**
 * Returns the memories closest to a memory by its stored vector, without itself, at most `limit` and `PAGE_BYTES`.
 *
 * @throws {NotFoundError} for an id that `getMemory` does not find
 * @throws {UnavailableError} if another embedder made the stored vectors
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 */
export async function similarTo(
  deps: SearchDeps,
  caller: Caller,
  id: string,
  { limit, ...scope }: ReadScope & { limit: number },
): Promise<SearchMatch[]> {
  const { store } = deps;
  const { organizationId, signal } = caller;
  requireEmbedder(deps, await readSettings(deps, caller));
  const matches = await meteredRead(deps, caller, async () => {
    const memory = await getMemory(deps, caller, id, scope.includeDeleted);
    return withSearchedEmbedder(deps, caller, async ({ fingerprint }) => {
      const vector = await store.memories.findVector(organizationId, memory.id, fingerprint);
      if (!vector) throw await missingVector(deps, organizationId, fingerprint);
      // The result contains the memory itself, unless the filter excludes it.
      const query = { ...scope, vector, fingerprint, limit: limit + 1 };
      const near = await store.memories.nearest(organizationId, query, signal);
      return near.filter((match) => match.memory.id !== memory.id).slice(0, limit);
    });
  });
  return matches.slice(
    0,
    countWithin(matches, PAGE_BYTES, (match) => memoryBytes(match.memory)),
  );
}

/** Returns the error for a memory without a vector that was embedded with `fingerprint` when the search began. */
async function missingVector(deps: SearchDeps, organizationId: string, fingerprint: string): Promise<Error> {
  const { embeddingFingerprint } = await readSettings(deps, { organizationId });
  if (embeddingFingerprint === fingerprint) return new NotFoundError();
  return new EmbedderReplacedError(`the memories are embedded with ${embeddingFingerprint}`);
}

function assertNoVectorOptions({ minScore, exact }: SearchInput): void {
  if (minScore !== undefined) {
    throw notForKeywords('minScore', 'keyword search computes no similarity');
  }
  if (exact) throw notForKeywords('exact', 'keyword search compares no vectors');
}

function notForKeywords(path: string, because: string): UnprocessableError {
  return new UnprocessableError(`Leave out ${path} in keyword mode: ${because}`, [
    { path, message: 'is not allowed in keyword mode' },
  ]);
}

interface Prepared extends SearchInput {
  scope: ReadScope;
  recency: Recency;
}

interface Ranked extends SearchAnswer {
  /** Place of each memory in the ranking by words. Undefined if there was none. */
  keywords?: ReadonlyMap<string, KeywordPlace>;
}

function searchBy(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  if (search.mode === 'keyword') return searchByKeyword(deps, caller, search);
  const searchWith = search.mode === 'vector' ? searchByVector : searchByBoth;
  return withSearchedEmbedder(deps, caller, (embedder) => searchWith({ ...deps, embedder }, caller, search));
}

/** Embeds the query. @param deps with the embedder of the vectors that are compared */
async function embedded(
  { embedder }: SearchDeps,
  { organizationId }: Caller,
  { query }: Prepared,
): Promise<Pick<VectorQuery, 'vector' | 'fingerprint'>> {
  return { vector: await embedQuery(embedder, organizationId, query), fingerprint: embedder.fingerprint };
}

async function searchByVector(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  const query = {
    ...search.scope,
    ...(await embedded(deps, caller, search)),
    limit: search.limit,
    exact: search.exact,
    ...(search.minScore !== undefined && { minSimilarity: search.minScore }),
    ...(search.recencyWeight > 0 && { recency: search.recency }),
  };
  return {
    matches: await deps.store.memories.nearest(caller.organizationId, query, caller.signal),
    wordsLeftOut: false,
  };
}

async function searchByKeyword(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  const limit = search.recencyWeight > 0 ? MAX_CANDIDATES : search.limit;
  const query = { ...search.scope, text: search.query, limit };
  const found = await deps.store.memories.matching(caller.organizationId, query, caller.signal);
  const matches = found.matches.map(({ memory, relevance }) => ({ memory, score: keywordScore(relevance) }));
  return {
    matches: inOrder(search, matches).slice(0, search.limit),
    wordsLeftOut: found.wordsLeftOut,
    ...(search.explain && { keywords: keywordPlaces(found) }),
  };
}

/** Adds the scores of meaning and words, so that it finds both exact tokens and paraphrases. */
async function searchByBoth(deps: SearchDeps, caller: Caller, search: Prepared): Promise<Ranked> {
  const { memories } = deps.store;
  const { organizationId, signal } = caller;
  const asked = { ...search.scope, ...(await embedded(deps, caller, search)) };
  const { scope, exact } = search;
  const [near, found] = await Promise.all([
    memories.nearest(organizationId, { ...asked, limit: MAX_CANDIDATES, exact }, signal),
    memories.matching(organizationId, { ...scope, text: search.query, limit: MAX_CANDIDATES }, signal),
  ]);
  const { matches: worded, wordsLeftOut, most } = found;
  const shares = new Map(worded.map(({ memory, relevance }) => [memory.id, wordShare(relevance, most)]));
  const share = ({ memory }: Pick<SearchMatch, 'memory'>) => shares.get(memory.id) ?? 0;
  const candidates = new Map<string, Found>([...worded, ...near].map((match) => [match.memory.id, match]));
  const wanted = withinReach(search, [...candidates.values()], { share, farthest: near.at(-1)?.similarity ?? 0 });
  const measured = await withSimilarity(deps, caller, asked, wanted);
  const similar = measured.filter(({ similarity }) => similarity >= (search.minScore ?? 0));
  const scored = similar.map((match) => ({ ...match, score: hybridScore(match.similarity, share(match)) }));
  return {
    matches: inOrder(search, scored).slice(0, search.limit),
    wordsLeftOut,
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
  // The minimum similarity may exclude any of the best.
  if (search.minScore !== undefined) return [...found];
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
  query: Pick<VectorQuery, 'vector' | 'fingerprint' | keyof ReadScope>,
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

function toRecency({ now }: Pick<Deps, 'now'>, { recencyWeight, recencyHalflifeDays }: SearchInput): Recency {
  return { weight: recencyWeight, halflifeDays: recencyHalflifeDays, now: now() };
}
