import type { Match, VectorQuery } from '../../../ports/memory-reader.js';
import { EmbedderReplacedError, SearchUnavailableError, StoreUnavailableError } from '../../../ports/store-errors.js';
import type { Collections } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import { indexedScope, isIndexable } from '../engine/filters.js';
import { toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';
import { vectorIndexName } from '../engine/schema.js';
import { BEGINNING_OF_TIME, type IndexStates, type IndexView, USUAL_WINDOW_MS } from '../search-index/index-state.js';
import { IndexUnusableError, usable } from '../search-index/index-unusable.js';
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
/** Candidates of an index with approximate similarities for each result. */
const FINALISTS = 4;
/** The result of a search by a plan with another embedder than that of the query. */
const REPLACED = Symbol('replaced');

/** Settings of vector searches. */
export interface VectorSettings {
  /** State of the search indexes. */
  indexes: IndexStates;
  /** Searches that match at most this many memories compare all of them. */
  exactRows: number;
  /** Maximum number of memories that a search compares one by one because a search index does not include them. */
  maxCompared: number;
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
    const usesIndex = isIndexable(query.filter) || !plan.isSmall;
    const name = vectorIndexName(query.vector.length, plan.slot);
    const view = usesIndex ? await this.#vectors.indexes.view(name) : undefined;
    const scope = this.#scope(organizationId, query, plan, view);
    const compared = { ...scope, settledBefore: BEGINNING_OF_TIME };
    try {
      if (usesIndex) await this.#assertFew(view ? scope : compared, plan, options);
      return await this.#searchIn(
        scope,
        organizationId,
        query,
        plan,
        options,
        view && (() => this.#vectors.indexes.confirm(name, view)),
      );
    } catch (error) {
      if (error instanceof IndexUnusableError) await this.#assertFew(compared, plan, options);
      else if (!(error instanceof TooFewCandidatesError)) throw error;
      return this.#searchIn(compared, organizationId, query, plan, options);
    }
  }

  /** @throws {SearchUnavailableError} if too many memories must be compared that the index does not include */
  async #assertFew(
    { filter, settledBefore, slot }: VectorScope,
    plan: SearchPlan,
    options: ReadOptions,
  ): Promise<void> {
    if (plan.isSmall || Date.now() - settledBefore.getTime() <= USUAL_WINDOW_MS) return;
    const compared = { $and: [filter, { [slot.indexedAt]: { $gte: settledBefore } }] };
    const { maxCompared } = this.#vectors;
    const count = await this.#memories.countDocuments(compared, { limit: maxCompared + 1, ...options });
    if (count > maxCompared) throw new SearchUnavailableError();
  }

  async #searchIn(
    scope: VectorScope,
    organizationId: string,
    query: VectorQuery,
    plan: SearchPlan,
    options: ReadOptions,
    confirm: () => Promise<boolean> = async () => true,
  ): Promise<Match[]> {
    const space = { memories: this.#memories, exactRows: this.#vectors.exactRows, isSmall: plan.isSmall, options };
    const { minSimilarity: _, ...coarse } = query;
    // An approximate similarity must not leave out a memory.
    const search = new SettledSearch(space, scope.rescores ? coarse : query, scope);
    const reader = new MomentReader(this.#memories, organizationId, scope, { recent: this.#recent, options });
    for (let spare = SPARE; ; spare *= GROWTH) {
      const wanted = query.limit * (scope.rescores ? FINALISTS : 1) + spare;
      const usesIndex = scope.settledBefore !== BEGINNING_OF_TIME;
      const settled = usesIndex ? await usable(() => search.best(wanted)) : [];
      const [{ matches, gone }, isConfirmed] = await Promise.all([
        untilStill(() => answer(reader, organizationId, query, settled)),
        !usesIndex || confirm(),
      ]);
      if (!isConfirmed) throw new IndexUnusableError();
      if (gone <= spare || settled.length < wanted || wanted > MAX_CANDIDATES) return matches;
    }
  }

  /** Few memories are compared one by one, if the search index cannot check the whole filter. */
  #scope(organizationId: string, query: VectorQuery, plan: SearchPlan, view: IndexView | undefined): VectorScope {
    const { fingerprint, slot } = plan;
    return {
      ...(!isIndexable(query.filter) && {
        indexFilter: { ...indexedScope(organizationId, query), [slot.fingerprint]: fingerprint },
      }),
      filter: searchFilter(organizationId, query, plan),
      vector: query.vector,
      slot,
      settledBefore: view?.settledBefore ?? BEGINNING_OF_TIME,
      rescores: view?.isQuantized ?? false,
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
  const still = settled.flatMap((candidate) => {
    const document = moment.settled.get(candidate.id);
    return document ? [{ ...candidate, similarity: reader.similarityOf(document) ?? candidate.similarity }] : [];
  });
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
