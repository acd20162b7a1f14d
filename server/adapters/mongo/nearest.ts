import type { ClientSession, Collection, Filter } from 'mongodb';
import { isEmptyFilter } from '../../domain/filter.js';
import type { Microseconds } from '../../domain/memory.js';
import { blendRecency, firstToReach, type Recency } from '../../domain/recency.js';
import type { Match, VectorQuery } from '../../ports/store.js';
import type { MemoryDocument, OrganizationDocument } from './collections.js';
import { scopeFilter } from './filters.js';
import { MEMORY_FIELDS, toMemory } from './memory-documents.js';
import { type Candidate, MOST_CANDIDATES, measured, settledNearest, type VectorScope } from './vector-search.js';

/** What a search runs over. */
export interface SearchSpace {
  memories: Collection<MemoryDocument>;
  organization: Pick<OrganizationDocument, '_id' | 'settings' | 'active' | 'deleted'>;
  /** Sizes of the vectors that there is a search index for. */
  indexed: ReadonlySet<number>;
  settledBefore: Date;
  /** Up to so many memories are all looked at. */
  exactRows: number;
}

interface Ranked extends Candidate {
  score: number;
}

/** Candidates beyond the limit, in place of those that have gone since the index was asked. */
const SPARE = 10;
const GROWTH = 4;
const BEGINNING_OF_TIME = new Date(0);

/** One search by vector: what the search index gives, then what only the collection knows, ranked together. */
export class NearestSearch {
  readonly #space: SearchSpace;
  readonly #query: VectorQuery;
  readonly #scope: VectorScope;

  constructor(space: SearchSpace, query: VectorQuery) {
    this.#space = space;
    this.#query = query;
    const usesIndex = !query.ids && space.indexed.has(query.vector.length);
    this.#scope = {
      filter: this.#filter(),
      vector: query.vector,
      settledBefore: usesIndex ? space.settledBefore : BEGINNING_OF_TIME,
    };
  }

  /** Candidates among the settled memories, enough of them for the ranking. */
  async settled(): Promise<Candidate[]> {
    const { limit, recency, exact = false } = this.#query;
    if (this.#scope.settledBefore === BEGINNING_OF_TIME) return [];
    const rows = await this.#count();
    const isSmall = rows <= this.#space.exactRows;
    if (!recency) return this.#nearest(Math.min(limit + SPARE, MOST_CANDIDATES), exact || isSmall);
    return isSmall ? this.#nearest(rows + SPARE, true) : this.#blended(recency, exact);
  }

  /** The best matches of the moment that the session sees, best first. */
  async ranked(session: ClientSession, settled: readonly Candidate[]): Promise<Match[]> {
    const { limit } = this.#query;
    const { memories, organization } = this.#space;
    const { filter, settledBefore } = this.#scope;
    const changed = { $and: [filter, { indexedAt: { $gte: settledBefore } }] };
    const recent = await measured(memories, { ...this.#scope, filter: changed }, session);
    const all = new Map([...settled, ...recent].map((candidate) => [candidate.id, candidate]));
    const best = this.#rank([...all.values()]).slice(0, limit + SPARE);

    const ids = best.map(({ id }) => id);
    const found = memories.find({ $and: [filter, { _id: { $in: ids } }] }, { session, projection: MEMORY_FIELDS });
    const documents = new Map((await found.toArray()).map((document) => [document._id, document]));
    return best
      .flatMap(({ id, similarity, score }) => {
        const document = documents.get(id);
        return document ? [{ memory: toMemory(organization._id, document), similarity, score }] : [];
      })
      .slice(0, limit);
  }

  #filter(): Filter<MemoryDocument> {
    const { organization } = this.#space;
    const { ids } = this.#query;
    const fingerprint = organization.settings.embeddingFingerprint ?? '';
    const scope = { ...scopeFilter(organization._id, this.#query), fingerprint };
    return ids ? { $and: [scope, { _id: { $in: [...ids] } }] } : scope;
  }

  /** How many memories there are to search, as far as that matters. */
  async #count(): Promise<number> {
    const { organization, memories, exactRows } = this.#space;
    const { filter, includeDeleted } = this.#query;
    const all = organization.active + (includeDeleted ? organization.deleted : 0);
    if (isEmptyFilter(filter) || all <= exactRows) return all;
    return memories.countDocuments(this.#scope.filter, { limit: exactRows + 1 });
  }

  #nearest(limit: number, exact: boolean): Promise<Candidate[]> {
    return settledNearest(this.#space.memories, this.#scope, { limit, exact });
  }

  /**
   * The most similar memories give a least score to reach. What is less
   * similar than all of those reaches it by being new, so the memories from a
   * certain time on are the only others to look at. Where they are many, more
   * of the similar ones make that time later.
   */
  async #blended(recency: Recency, exact: boolean): Promise<Candidate[]> {
    const { memories, exactRows } = this.#space;
    for (let wanted = GROWTH * (this.#query.limit + SPARE); ; wanted *= GROWTH) {
      const limit = Math.min(wanted, MOST_CANDIDATES);
      const found = await this.#nearest(limit, exact);
      const worst = this.#rank(found)[this.#query.limit - 1]?.score;
      const unseen = found.at(-1)?.similarity;
      if (found.length < limit || worst === undefined || unseen === undefined) return found;

      const since = firstToReach(worst, unseen, recency);
      const newer = { $and: [this.#scope.filter, { createdAt: { $gte: since } }] };
      const count = await memories.countDocuments(newer, { limit: exactRows + 1 });
      if (exact && count > exactRows) return this.#bestOf(found, since);
      if (count <= exactRows || limit === MOST_CANDIDATES) {
        const scope = { ...this.#scope, filter: newer };
        return [...found, ...(await settledNearest(memories, scope, { limit: count, exact: true }))];
      }
    }
  }

  /** The best of those found and of all memories from a time on, looked at in parts that Vector Search can give whole. */
  async #bestOf(found: readonly Candidate[], since: Microseconds): Promise<Candidate[]> {
    const { memories, exactRows } = this.#space;
    let best = [...found];
    for (let from = since; ; ) {
      const unseen = { $and: [this.#scope.filter, { createdAt: { $gte: from } }] };
      const options = { sort: { createdAt: 1 }, skip: exactRows - 1, projection: { createdAt: 1 } } as const;
      const last = await memories.findOne(unseen, options);
      const part = last ? { $and: [unseen, { createdAt: { $lte: last.createdAt } }] } : unseen;
      const looked = await settledNearest(
        memories,
        { ...this.#scope, filter: part },
        { limit: exactRows, exact: true },
      );
      const all = new Map([...best, ...looked].map((candidate) => [candidate.id, candidate]));
      best = this.#rank([...all.values()]).slice(0, this.#query.limit + SPARE);
      if (!last) return best;
      from = last.createdAt + 1;
    }
  }

  /** Best first; ties go to the older memory. */
  #rank(candidates: readonly Candidate[]): Ranked[] {
    const { recency, minSimilarity = 0 } = this.#query;
    return candidates
      .filter(({ similarity }) => similarity >= minSimilarity)
      .map((candidate) => {
        const { similarity, createdAt } = candidate;
        return { ...candidate, score: recency ? blendRecency(similarity, createdAt, recency) : similarity };
      })
      .sort((a, b) => b.score - a.score || a.createdAt - b.createdAt);
  }
}
