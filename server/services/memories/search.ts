import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { PAGE_BYTES } from '../../domain/fairness/bounds.js';
import type { WireFilter } from '../../domain/memory/filter.js';
import { parseFilter } from '../../domain/memory/filter.js';
import { countWithin, memoryBytes } from '../../domain/memory/page-bytes.js';
import { normalizeText } from '../../domain/memory/unicode.js';
import { diversePicks, diversityCandidates } from '../../domain/retrieval/diversity.js';
import type { Recency } from '../../domain/retrieval/recency.js';
import { NotFoundError, UnprocessableError } from '../../errors.js';
import type { ReadScope } from '../../ports/memory-reader.js';
import { meteredRead } from '../billing/metered-read.js';
import { readSettings } from '../organization/settings.js';
import { embedQuery, withEmbedderOf } from './embedding.js';
import { expireDue } from './expire.js';
import { explainMatches } from './explain.js';
import { getMemory } from './reads.js';
import { countOthers, searchGroups } from './search-groups.js';
import { MODES, type SearchDeps, type SearchMatch, type SearchMode } from './search-modes.js';
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
}

export interface SearchAnswer {
  /** Best first. */
  matches: SearchMatch[];
  /** True if the query has more words than keyword search uses. */
  wordsLeftOut: boolean;
}

const MAX_QUERY_LENGTH = 8_192;

/**
 * Returns the memories closest to a query (section 4.11), at most `limit` and `PAGE_BYTES`. Filters apply before the
 * best are selected.
 *
 * @throws {UnprocessableError} for an invalid query or filter
 * @throws {UnavailableError} if another embedder made the stored vectors
 * @throws {QuotaExceededError} if the monthly cap of searches is reached
 * @throws {EmbeddingUnavailableError} unless the mode is `keyword`
 */
export async function search(given: SearchDeps, caller: Caller, input: SearchInput): Promise<SearchAnswer> {
  await expireDue(given, caller);
  const query = normalizeText(input.query, 'query', { maxCodePoints: MAX_QUERY_LENGTH });
  if (input.mode === 'keyword') assertNoVectorOptions(input);
  const settings = await readSettings(given, caller);
  const scope = { filter: parseFilter(input.filter, settings, 'json'), includeDeleted: input.includeDeleted };
  const deps = input.mode === 'keyword' ? given : withEmbedderOf(given, settings);

  let vector: Promise<Float32Array> | undefined;
  const embed = () => (vector ??= embedQuery(deps, caller.organizationId, query));
  const limit = input.diversity > 0 ? diversityCandidates(input.limit) : input.limit;
  const relevance = new Relevance(query, deps.embedder.relevanceCurve ?? [], input.minRelevance);
  const prepared = { ...input, limit, query, scope, embed, relevance, recency: toRecency(deps, input) };
  const { matches, wordsLeftOut, keywords } = await meteredRead(deps, caller, () =>
    input.groupBy
      ? searchGroups(prepared, (part) => MODES[input.mode](deps, caller, part))
      : MODES[input.mode](deps, caller, prepared),
  );
  const best = await pickDiverse(deps, caller, matches.slice(0, limit), input);
  const count = countWithin(best, PAGE_BYTES, ({ memory }) => memoryBytes(memory));
  const page = best.slice(0, count).map((match) => ({
    ...match,
    ...(match.similarity !== undefined && { relevance: relevance.of(match) }),
  }));
  const counted = input.groupBy ? await countOthers(deps, caller, scope, page) : page;
  if (!input.explain) return { matches: counted, wordsLeftOut };
  return {
    matches: await explainMatches(counted, { query, mode: input.mode, recency: prepared.recency, keywords }),
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
  given: SearchDeps,
  caller: Caller,
  id: string,
  { limit, ...scope }: ReadScope & { limit: number },
): Promise<SearchMatch[]> {
  const deps = withEmbedderOf(given, await readSettings(given, caller));
  const { embedder, store } = deps;
  const { organizationId, signal } = caller;
  const matches = await meteredRead(deps, caller, async () => {
    const memory = await getMemory(deps, caller, id, scope.includeDeleted);
    const vectors = await store.memories.findVectors(organizationId, [memory.id], embedder.fingerprint);
    const vector = vectors.get(memory.id);
    // Another embedder rebuilt its vector meanwhile.
    if (!vector) throw new NotFoundError();
    // The result contains the memory itself, unless the filter excludes it.
    const near = await store.memories.nearest(organizationId, { ...scope, vector, limit: limit + 1 }, signal);
    return near.filter((match) => match.memory.id !== memory.id).slice(0, limit);
  });
  return matches.slice(
    0,
    countWithin(matches, PAGE_BYTES, (match) => memoryBytes(match.memory)),
  );
}

/** Returns `limit` matches: the best, or diverse ones in the order in which they are picked. */
async function pickDiverse(
  { store, embedder }: SearchDeps,
  { organizationId }: Caller,
  matches: readonly SearchMatch[],
  { limit, diversity }: Pick<SearchInput, 'limit' | 'diversity'>,
): Promise<SearchMatch[]> {
  if (diversity === 0) return matches.slice(0, limit);
  const ids = matches.map(({ memory }) => memory.id);
  const vectors = await store.memories.findVectors(organizationId, ids, embedder.fingerprint);
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

function notForKeywords(path: string, because: string): UnprocessableError {
  return new UnprocessableError(`Leave out ${path} in keyword mode: ${because}`, [
    { path, message: 'is not allowed in keyword mode' },
  ]);
}

function toRecency({ now }: Pick<Deps, 'now'>, { recencyWeight, recencyHalflifeDays }: SearchInput): Recency {
  return { weight: recencyWeight, halflifeDays: recencyHalflifeDays, now: now() };
}
