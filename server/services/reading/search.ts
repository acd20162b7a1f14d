import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { PAGE_BYTES } from '../../domain/fairness/bounds.js';
import type { WireFilter } from '../../domain/filter/filter.js';
import { parseFilter } from '../../domain/filter/filter.js';
import { countMemoriesWithin } from '../../domain/memory/page-bytes.js';
import { diversePicks, diversityCandidates } from '../../domain/retrieval/diversity.js';
import { blendRecency, type Recency } from '../../domain/retrieval/recency.js';
import { normalizeText } from '../../domain/text/unicode.js';
import { NotFoundError, UnprocessableError } from '../../errors.js';
import type { Embedder } from '../../ports/embedder.js';
import type { ComparedVector, ReadScope } from '../../ports/memory-reader.js';
import { EmbedderReplacedError } from '../../ports/store-errors.js';
import { meteredRead } from '../billing/metered-read.js';
import { embedQuery, requireEmbedder, withSearchedEmbedder } from '../memories/embedding.js';
import { expireDue } from '../memories/expire.js';
import { readSettings } from '../organization/settings.js';
import { explainMatches } from './explain.js';
import { getMemory } from './reads.js';
import { countOthers, searchGroups } from './search-groups.js';
import {
  byScore,
  MODES,
  type Prepared,
  type Ranked,
  type SearchDeps,
  type SearchMatch,
  type SearchMode,
} from './search-modes.js';
import { Relevance } from './search-relevance.js';

export interface SearchInput {
  query: string;
  limit: number;
  mode: SearchMode;
  filter?: WireFilter | undefined;
  includeDeleted: boolean;
  /** Minimum similarity, in [0, 1]. */
  minScore?: number | undefined;
  /** Minimum relevance, in [0, 1]. */
  minRelevance?: number | undefined;
  /** In [0, 1]. */
  recencyWeight: number;
  recencyHalflifeDays: number;
  /** Compares with every vector, even if an index could answer. */
  exact: boolean;
  /** Adds an explanation to each match. */
  explain: boolean;
  /** If set, each document gives its best memory only, and `limit` counts documents. */
  groupBy?: 'documentId' | undefined;
  /** In [0, 1]; 0 orders by score alone. */
  diversity: number;
  /** If true, a model that reads query and content together orders the best matches. */
  rerank?: boolean | undefined;
}

export interface SearchAnswer {
  /** Best first. */
  matches: SearchMatch[];
  /** True if the query has more words than keyword search uses. */
  wordsLeftOut: boolean;
}

const MAX_QUERY_LENGTH = 8_192;
/** Fewest matches that a reranker orders. */
const RERANKED = 50;

/**
 * Returns the memories closest to a query (section 4.11), at most `limit` and `PAGE_BYTES`. Filters apply before the
 * best are selected.
 *
 * @throws {UnprocessableError} for an invalid query or filter, and for `rerank` without a reranker
 * @throws {UnavailableError} if another embedder made the stored vectors
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 * @throws {EmbeddingUnavailableError} unless the mode is `keyword` without `rerank`
 */
export async function search(deps: SearchDeps, caller: Caller, input: SearchInput): Promise<SearchAnswer> {
  await expireDue(deps, caller);
  const query = normalizeText(input.query, 'query', { maxCodePoints: MAX_QUERY_LENGTH });
  if (input.mode === 'keyword') assertNoVectorOptions(input);
  if (input.rerank) assertReranker(deps);
  const settings = await readSettings(deps, caller);
  const scope = { filter: parseFilter(input.filter, settings, 'json'), includeDeleted: input.includeDeleted };
  if (input.mode !== 'keyword') requireEmbedder(deps, settings);

  const reranker = input.rerank ? deps.embedder : undefined;
  const asked = { scope, recency: toRecency(deps, input), reranker, ...input, query };
  const { matches, wordsLeftOut, keywords } = await meteredRead(deps, caller, () =>
    searchBy(deps, { ...caller, settings }, asked),
  );
  const page = pageOf(matches);
  const counted = input.groupBy ? await countOthers(deps, caller, scope, page) : page;
  if (!input.explain) return { matches: counted, wordsLeftOut };
  return {
    matches: await explainMatches(counted, { query, mode: input.mode, recency: asked.recency, keywords }),
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
  const { organizationId, gone } = caller;
  requireEmbedder(deps, await readSettings(deps, caller));
  const matches = await meteredRead(deps, caller, async () => {
    const memory = await getMemory(deps, caller, id, scope.includeDeleted);
    return withSearchedEmbedder(deps, caller, async ({ fingerprint }) => {
      const vectors = await store.memories.findVectors(organizationId, [memory.id], fingerprint);
      const vector = vectors.get(memory.id);
      if (!vector) throw await missingVector(deps, organizationId, fingerprint);
      // The result contains the memory itself, unless the filter excludes it.
      const query = { ...scope, vector, fingerprint, limit: limit + 1 };
      const near = await store.memories.nearest(organizationId, query, gone?.signal);
      return near.filter((match) => match.memory.id !== memory.id).slice(0, limit);
    });
  });
  return pageOf(matches);
}

function pageOf<M extends Pick<SearchMatch, 'memory'>>(matches: readonly M[]): M[] {
  const memories = matches.map(({ memory }) => memory);
  return matches.slice(0, countMemoriesWithin(memories, PAGE_BYTES));
}

/** Returns the error for a memory without a vector that was embedded with `fingerprint` when the search began. */
async function missingVector(deps: SearchDeps, organizationId: string, fingerprint: string): Promise<Error> {
  const { embeddingFingerprint } = await readSettings(deps, { organizationId });
  if (embeddingFingerprint === fingerprint) return new NotFoundError();
  return new EmbedderReplacedError(`the memories are embedded with ${embeddingFingerprint}`);
}

/** `reranker` is the configured embedder, which may be another one than that of the vectors that are searched. */
type Asked = SearchInput & Pick<Prepared, 'query' | 'scope' | 'recency'> & { reranker: Embedder | undefined };

/** Runs a search with the embedder of the vectors that it compares. */
function searchBy(deps: SearchDeps, caller: Caller, asked: Asked): Promise<Ranked> {
  if (asked.mode === 'keyword') return searchWith(deps, caller, asked);
  return withSearchedEmbedder(deps, caller, (embedder) => searchWith({ ...deps, embedder }, caller, asked));
}

/** Returns at most `limit` matches, with their relevance. */
async function searchWith(deps: SearchDeps, caller: Caller, asked: Asked): Promise<Ranked> {
  const { embedder } = deps;
  const picked = asked.diversity > 0 ? diversityCandidates(asked.limit) : asked.limit;
  const limit = asked.reranker ? Math.max(RERANKED, picked) : picked;
  const relevance = new Relevance(asked.query, embedder.relevanceCurve ?? [], asked.minRelevance);
  const prepared = { relevance, embed: embedOnce(embedder, caller, asked.query), ...asked, limit };
  const run = (search: Prepared) => MODES[asked.mode](deps, caller, search);
  const ranked = await (asked.groupBy ? searchGroups(prepared, run) : run(prepared));
  const inOrder = await reranked(caller, ranked.matches.slice(0, limit), asked);
  const matches = await pickDiverse(deps, caller, inOrder.slice(0, picked), asked);
  for (const match of matches) if (match.similarity !== undefined) match.relevance = relevance.of(match);
  return { ...ranked, matches };
}

/** Orders matches by a reranker and recency, if the search has one. */
async function reranked(
  { organizationId }: Caller,
  matches: readonly SearchMatch[],
  { query, recency, reranker }: Asked,
): Promise<SearchMatch[]> {
  const contents = matches.map(({ memory }) => memory.content);
  const scores = await reranker?.rerank?.(query, contents, organizationId);
  if (!scores) return [...matches];
  return matches
    .map((match, at) => {
      const rerank = scores[at] ?? 0;
      return { ...match, rerank, score: blendRecency(rerank, match.memory.createdAt, recency) };
    })
    .sort(byScore);
}

/** Returns a function that embeds the query, once. */
function embedOnce(embedder: Embedder, { organizationId }: Caller, query: string): Prepared['embed'] {
  const { fingerprint } = embedder;
  let embedding: Promise<ComparedVector> | undefined;
  const embed = async () => ({ vector: await embedQuery(embedder, organizationId, query), fingerprint });
  return () => (embedding ??= embed());
}

/** Returns `limit` matches: the best, or diverse ones in the order in which they are picked. */
async function pickDiverse(
  deps: SearchDeps,
  { organizationId }: Caller,
  matches: readonly SearchMatch[],
  { limit, diversity }: Pick<SearchInput, 'limit' | 'diversity'>,
): Promise<SearchMatch[]> {
  if (diversity === 0) return matches.slice(0, limit);
  const ids = matches.map(({ memory }) => memory.id);
  const { fingerprint } = deps.embedder;
  const vectors = await deps.store.memories.findVectors(organizationId, ids, fingerprint);
  if (vectors.size < matches.length) {
    const missing = await missingVector(deps, organizationId, fingerprint);
    if (missing instanceof EmbedderReplacedError) throw missing;
  }
  const picked: SearchMatch[] = [];
  for (const match of diversePicks(matches, ({ memory }) => vectors.get(memory.id), diversity)) {
    picked.push(match);
    if (picked.length === limit) break;
    // Each pick compares with all other candidates, so other requests run between two picks.
    await nextTurn();
  }
  return picked;
}

function assertNoVectorOptions({ minScore, minRelevance, exact, diversity }: SearchInput): void {
  if (minScore !== undefined) {
    throw notForKeywords('minScore', 'keyword search computes no similarity');
  }
  if (minRelevance !== undefined) throw notForKeywords('minRelevance', 'keyword search computes no similarity');
  if (exact) throw notForKeywords('exact', 'keyword search compares no vectors');
  if (diversity > 0) throw notForKeywords('diversity', 'keyword search compares no vectors');
}

function assertReranker({ embedder }: Pick<Deps, 'embedder'>): void {
  if (embedder.rerank) return;
  throw new UnprocessableError('Leave out rerank: the embedding provider of this service has no reranker', [
    { path: 'rerank', message: 'is not available with the embedding provider of this service' },
  ]);
}

function notForKeywords(path: string, because: string): UnprocessableError {
  return new UnprocessableError(`Leave out ${path} in keyword mode: ${because}`, [
    { path, message: 'is not allowed in keyword mode' },
  ]);
}

function toRecency({ now }: Pick<Deps, 'now'>, { recencyWeight, recencyHalflifeDays }: SearchInput): Recency {
  return { weight: recencyWeight, halflifeDays: recencyHalflifeDays, now: now() };
}
