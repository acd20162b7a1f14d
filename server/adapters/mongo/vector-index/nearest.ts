import type { Match, VectorQuery } from '../../../ports/memory-reader.js';
import { EmbedderReplacedError, StoreUnavailableError } from '../../../ports/store-errors.js';
import type { Collections } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import { indexedScope, isIndexable } from '../engine/filters.js';
import { documentIdsOf, toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';
import { vectorIndexName } from '../engine/schema.js';
import { MomentReader } from './moment.js';
import { RecentVectors } from './recent-vectors.js';
import { type SearchPlan, SearchPlans, searchFilter } from './search-plans.js';
import { type Ranked, rank, SettledSearch } from './settled-search.js';
import { MAX_CANDIDATES, TooFewCandidatesError, type VectorScope } from './vector-search.js';

/** Attempts of a read, which is retried if a memory changed meanwhile. */
const MAX_ATTEMPTS = 10;
/** Extra candidates beyond the limit, which replace those that changed after the index query. */
const SPARE = 5;
const GROWTH = 4;
/** The result of a search by a plan with another embedder than that of the query. */
const REPLACED = Symbol('replaced');
const BEGINNING_OF_TIME = new Date(0);

/** Settings of vector searches. */
export interface VectorSettings {
  /** Names of the search indexes. */
  indexed: ReadonlySet<string>;
  /** Searches that match at most this many memories compare all of them. */
  exactRows: number;
  /** Longest time that a search index takes to include a write. */
  indexLagMs: number;
}

/** Searches by vector. Ranks results of the search index together with memories that only the collection has. */
export class NearestSearch {
  readonly #memories: Collections['memories'];
  readonly #vectors: VectorSettings;
  readonly #plans: SearchPlans;
  readonly #recent = new RecentVectors();

  constructor(collections: Collections, vectors: VectorSettings) {
    this.#memories = collections.memories;
    this.#vectors = vectors;
    this.#plans = new SearchPlans(collections, vectors.exactRows);
  }

  /** Returns the best matches at one moment, best first. @throws {StoreUnavailableError} */
  async run(organizationId: string, query: VectorQuery, signal?: AbortSignal): Promise<Match[]> {
    return guarded(async () => {
      const options = readOptions(signal);
      const search = (plan: SearchPlan) => this.#search(organizationId, query, plan, options);
      const found = await this.#plans.along(organizationId, query, search, options);
      if (found === REPLACED) throw new EmbedderReplacedError('the memories are embedded with another embedder');
      return found ?? [];
    });
  }

  async #search(
    organizationId: string,
    query: VectorQuery,
    plan: SearchPlan,
    options: ReadOptions,
  ): Promise<Match[] | typeof REPLACED> {
    if (query.fingerprint !== undefined && query.fingerprint !== plan.fingerprint) return REPLACED;
    const scope = this.#scope(organizationId, query, plan);
    try {
      return await this.#searchIn(scope, organizationId, query, plan, options);
    } catch (error) {
      if (!(error instanceof TooFewCandidatesError)) throw error;
      const compared = { ...scope, settledBefore: BEGINNING_OF_TIME };
      return this.#searchIn(compared, organizationId, query, plan, options);
    }
  }

  async #searchIn(
    scope: VectorScope,
    organizationId: string,
    query: VectorQuery,
    plan: SearchPlan,
    options: ReadOptions,
  ): Promise<Match[]> {
    const space = { memories: this.#memories, exactRows: this.#vectors.exactRows, isSmall: plan.isSmall, options };
    const search = new SettledSearch(space, query, scope);
    const reader = new MomentReader(this.#memories, organizationId, scope, { recent: this.#recent, options });
    for (let spare = SPARE; ; spare *= GROWTH) {
      const wanted = query.limit + spare;
      const settled = scope.settledBefore === BEGINNING_OF_TIME ? [] : await search.best(wanted);
      const { matches, gone } = await untilStill(() => answer(reader, organizationId, query, settled));
      if (gone <= spare || settled.length < wanted || wanted > MAX_CANDIDATES) return matches;
    }
  }

  /** Few memories are compared one by one, if the search index cannot check the whole filter. */
  #scope(organizationId: string, query: VectorQuery, plan: SearchPlan): VectorScope {
    const { indexed, indexLagMs } = this.#vectors;
    const { fingerprint, slot, isSmall } = plan;
    const all = searchFilter(organizationId, query, plan);
    const isChecked = isIndexable(query.filter);
    const isIndexed = indexed.has(vectorIndexName(query.vector.length, slot));
    const usesIndex = !query.ids && isIndexed && (isChecked || !isSmall);
    return {
      ...(!isChecked && { indexFilter: { ...indexedScope(organizationId, query), [slot.fingerprint]: fingerprint } }),
      filter: query.ids
        ? { $and: [all, { _id: { $in: query.ids.flatMap((id) => documentIdsOf(organizationId, id)) } }] }
        : all,
      vector: query.vector,
      slot,
      settledBefore: usesIndex ? new Date(Date.now() - indexLagMs) : BEGINNING_OF_TIME,
    };
  }
}

/** The result of a search. */
interface Answer {
  matches: Match[];
  /** Number of memories that the search index returned but that have changed or gone since. */
  gone: number;
}

/** Returns undefined if a memory changed while it was read. */
async function answer(
  reader: MomentReader,
  organizationId: string,
  query: VectorQuery,
  settled: readonly Ranked[],
): Promise<Answer | undefined> {
  const moment = await reader.read(settled.map(({ id }) => id));
  const changed = await reader.measure(moment.changed);
  if (!changed) return undefined;
  const still = settled.filter(({ id }) => moment.settled.has(id));
  const best = rank(query, [...still, ...changed]).slice(0, query.limit);

  const isBest = new Set(best.map(({ id }) => id));
  const whole = await reader.readWhole(moment.changed.filter(({ _id }) => isBest.has(_id)));
  if (!whole) return undefined;
  const documents = new Map([...moment.settled, ...whole.map((document) => [document._id, document] as const)]);
  const matches = best.flatMap(({ id, similarity, score }) => {
    const document = documents.get(id);
    return document ? [{ memory: toMemory(organizationId, document), similarity, score }] : [];
  });
  return { matches, gone: settled.length - still.length };
}

/** @throws {StoreUnavailableError} when memories changed during every attempt */
async function untilStill<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let left = MAX_ATTEMPTS; left > 0; left -= 1) {
    const found = await read();
    if (found !== undefined) return found;
  }
  throw new StoreUnavailableError('The store is unavailable: memories change faster than they can be read');
}
