import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import type { WireFilter } from '../domain/filter.js';
import { parseFilter } from '../domain/filter.js';
import type { Memory } from '../domain/memory.js';
import { fuseRanks, keywordScore } from '../domain/ranking.js';
import { blendRecency, type Recency } from '../domain/recency.js';
import { normalizeText } from '../domain/unicode.js';
import { usagePeriod } from '../domain/usage-period.js';
import { UnprocessableError } from '../errors.js';
import type { ReadScope } from '../ports/store.js';
import { assertSameEmbedder } from './embedding.js';
import { readSettings } from './settings.js';

export type SearchMode = 'vector' | 'keyword' | 'hybrid';

export interface SearchInput {
  query: string;
  limit: number;
  mode: SearchMode;
  filter?: WireFilter | undefined;
  includeDeleted: boolean;
  /** Least similarity, in [0, 1]. */
  minScore?: number | undefined;
  /** In [0, 1]. */
  recencyWeight: number;
  recencyHalflifeDays: number;
}

export interface SearchMatch {
  memory: Memory;
  /** What the results are ordered by, in [0, 1]. */
  score: number;
  /** Cosine clipped to [0, 1]; not known in keyword mode. */
  similarity?: number;
}

const MAX_QUERY_LENGTH = 8_192;

/** Candidates that keyword and hybrid search rank, of which the best `limit` are answered. */
const CANDIDATES = 200;

type SearchDeps = Pick<Deps, 'store' | 'embedder' | 'now'>;

/**
 * Finds the memories closest to a query (section 4.11). Every filter holds
 * before the best are taken.
 *
 * @throws {UnprocessableError} for a query or filter that the rules refuse
 * @throws {UnavailableError} when the stored vectors are another embedder's
 * @throws {EmbeddingUnavailableError} unless the mode is `keyword`
 */
export async function search(deps: SearchDeps, caller: Caller, input: SearchInput): Promise<SearchMatch[]> {
  const { organizationId } = caller;
  const query = normalizeText(input.query, 'query', { maxCodePoints: MAX_QUERY_LENGTH });
  if (input.mode === 'keyword' && input.minScore !== undefined) {
    throw new UnprocessableError(
      'Leave out minScore in keyword mode: it bounds the similarity, which is not known there',
      [{ path: 'minScore', message: 'not for mode keyword' }],
    );
  }
  const settings = await readSettings(deps, organizationId);
  const scope = { filter: parseFilter(input.filter, settings, 'json'), includeDeleted: input.includeDeleted };
  if (input.mode !== 'keyword') assertSameEmbedder(deps, settings);

  const matches = await MODES[input.mode](deps, organizationId, { ...input, query, scope });
  deps.store.usage.countSearch(organizationId, usagePeriod(deps.now()));
  return matches;
}

interface Prepared extends SearchInput {
  scope: ReadScope;
}

type Mode = (deps: SearchDeps, organizationId: string, search: Prepared) => Promise<SearchMatch[]>;

const MODES: Record<SearchMode, Mode> = { vector: searchByVector, keyword: searchByKeyword, hybrid: searchByBoth };

async function searchByVector(deps: SearchDeps, organizationId: string, search: Prepared): Promise<SearchMatch[]> {
  return deps.store.memories.nearest(organizationId, {
    ...search.scope,
    vector: await embedQuery(deps, search.query),
    limit: search.limit,
    ...(search.minScore !== undefined && { minSimilarity: search.minScore }),
    ...(search.recencyWeight > 0 && { recency: recency(deps, search) }),
  });
}

async function searchByKeyword(deps: SearchDeps, organizationId: string, search: Prepared): Promise<SearchMatch[]> {
  const limit = search.recencyWeight > 0 ? CANDIDATES : search.limit;
  const found = await deps.store.memories.matching(organizationId, { ...search.scope, text: search.query, limit });
  const matches = found.map(({ memory, relevance }) => ({ memory, score: keywordScore(relevance) }));
  return best(deps, search, matches);
}

/** Joins the ranks by meaning and by words, so that an exact token is found as well as a paraphrase. */
async function searchByBoth(deps: SearchDeps, organizationId: string, search: Prepared): Promise<SearchMatch[]> {
  const { memories } = deps.store;
  const vector = await embedQuery(deps, search.query);
  const near = await memories.nearest(organizationId, { ...search.scope, vector, limit: CANDIDATES });
  const worded = await memories.matching(organizationId, { ...search.scope, text: search.query, limit: CANDIDATES });

  const similarities = new Map(near.map(({ memory, similarity }) => [memory.id, similarity]));
  const unknown = worded.map(({ memory }) => memory.id).filter((id) => !similarities.has(id));
  if (unknown.length > 0) {
    const rest = await memories.nearest(organizationId, {
      ...search.scope,
      vector,
      limit: unknown.length,
      ids: unknown,
    });
    for (const { memory, similarity } of rest) similarities.set(memory.id, similarity);
  }

  const found = new Map([...near, ...worded].map(({ memory }) => [memory.id, memory]));
  const scores = fuseRanks([near.map(({ memory }) => memory.id), worded.map(({ memory }) => memory.id)]);
  const matches = [...found.values()].map((memory) => ({
    memory,
    score: scores.get(memory.id) ?? 0,
    similarity: similarities.get(memory.id) ?? 0,
  }));
  return best(
    deps,
    search,
    matches.filter(({ similarity }) => similarity >= (search.minScore ?? 0)),
  );
}

function best(deps: SearchDeps, search: Prepared, matches: readonly SearchMatch[]): SearchMatch[] {
  const blend = recency(deps, search);
  return matches
    .map((match) => ({ ...match, score: blendRecency(match.score, match.memory.createdAt, blend) }))
    .sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1))
    .slice(0, search.limit);
}

function recency({ now }: Pick<Deps, 'now'>, { recencyWeight, recencyHalflifeDays }: SearchInput): Recency {
  return { weight: recencyWeight, halflifeDays: recencyHalflifeDays, now: now() };
}

async function embedQuery({ embedder }: Pick<Deps, 'embedder'>, query: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([query], 'query');
  if (!vector) throw new Error('the embedder returned no vector');
  return vector;
}
