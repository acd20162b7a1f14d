import type { Document } from 'mongodb';
import type { ReadScope } from '../../../ports/memory-reader.js';
import type { Collections } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import type { ReadOptions } from '../engine/read-options.js';
import { BEGINNING_OF_TIME, type IndexView } from '../search-index/index-state.js';
import { IndexUnusableError, usable } from '../search-index/index-unusable.js';
import { batches, type CountedTerm, unionOf } from './own-words.js';
import { byRelevanceAndAge, type RankedFields, type RankedRead, relevanceBy } from './rank-by-terms.js';
import { hasTerm, searchByTerms, settledIn } from './search-clauses.js';
import type { WordSource } from './word-source.js';
import { WORDS_INDEX } from './words-index.js';

/** Extra candidates beyond the limit, which replace those that changed after the index query. */
const SPARE = 5;
/** Candidates of the first query for each result. */
const FINALISTS = 4;
const GROWTH = 8;
/** Relative error of a score of the index, which is a sum of at most 64 numbers of 32 bits. */
const SCORE_ERROR = 1e-5;

interface SearchedView {
  /** The view of the search index. Without it, all memories are compared one by one. */
  view: IndexView | undefined;
  /** Reports if the index still includes everything that the view promised. */
  confirm: () => Promise<boolean>;
}

interface Candidate {
  _id: string;
  relevance: number;
  /** The relevance of memories that come later in the index is not higher. */
  bound: number;
}

/**
 * Finds memories by the search index of words, joined with the memories that the index may not include. Relevance is
 * computed by the database from the stored words, as with its own index.
 */
export class SearchedWords implements WordSource {
  readonly #memories: Collections['memories'];
  readonly #org: string;
  readonly #maxRanked: number;
  readonly #settledBefore: Date;
  readonly #confirm: () => Promise<boolean>;
  readonly #options: ReadOptions;

  constructor(
    memories: Collections['memories'],
    org: string,
    { view, confirm, maxRanked }: SearchedView & { maxRanked: number },
    options: ReadOptions,
  ) {
    this.#memories = memories;
    this.#org = org;
    this.#maxRanked = maxRanked;
    this.#settledBefore = view?.settledBefore ?? BEGINNING_OF_TIME;
    this.#confirm = confirm;
    this.#options = options;
  }

  /** Counts a memory twice if it has changed since the index had its state. */
  async count(terms: readonly string[]): Promise<Map<string, number>> {
    const numbers = new Map(terms.map((term) => [term, 0]));
    for (const part of batches(terms)) {
      const counts = [
        this.#countingChanged(part),
        ...(this.#usesIndex ? part.map((term) => this.#counting(term)) : []),
      ];
      const options = { readConcern: { level: 'local' }, batchSize: 2 * part.length + 1, ...this.#options } as const;
      const counted = this.#memories.aggregate<CountedTerm>(unionOf(this.#memories, counts), options);
      for (const { term, number } of await usable(() => counted.toArray())) {
        numbers.set(term, Math.min(this.#maxRanked, (numbers.get(term) ?? 0) + number));
      }
    }
    return numbers;
  }

  async best<Fields extends RankedFields>(scope: ReadScope, read: RankedRead): Promise<Fields[]> {
    for (let spare = SPARE; ; spare *= GROWTH) {
      const wanted = read.limit + spare;
      const settled = this.#usesIndex ? await usable(() => this.#candidates(scope, read, wanted)) : [];
      const [{ found, gone }] = await Promise.all([this.#moment<Fields>(scope, read, settled), this.confirm()]);
      if (gone <= spare || settled.length < wanted) return found;
    }
  }

  async confirm(): Promise<void> {
    if (!(await this.#confirm())) throw new IndexUnusableError('The search index has lost what it included');
  }

  get #usesIndex(): boolean {
    return this.#settledBefore !== BEGINNING_OF_TIME;
  }

  /**
   * Returns the ids of the settled memories that score best, at most `wanted`. Reads more candidates until no other can
   * be better, or `maxRanked` are read. Returns fewer than `wanted` only if no more match.
   */
  async #candidates(scope: ReadScope, read: RankedRead, wanted: number): Promise<string[]> {
    const most = Math.max(this.#maxRanked, 2 * wanted);
    for (let limit = Math.min(most, FINALISTS * wanted); ; limit = Math.min(most, GROWTH * limit)) {
      const options = { readConcern: { level: 'local' }, batchSize: limit + 1, ...this.#options } as const;
      const found = await this.#memories.aggregate<Candidate>(this.#finding(scope, read, limit), options).toArray();
      const bound = (found.at(-1)?.bound ?? 0) * (1 + SCORE_ERROR);
      const best = found.sort((one, other) => other.relevance - one.relevance).slice(0, wanted);
      const isComplete = found.length < limit || (best.at(-1)?.relevance ?? 0) >= bound;
      if (isComplete || limit === most) return best.map(({ _id }) => _id);
    }
  }

  /** Returns a pipeline of candidates, those with the highest bound first. */
  #finding(scope: ReadScope, { ranking }: RankedRead, limit: number): Document[] {
    const settledBefore = this.#settledBefore;
    const search = searchByTerms(this.#org, scope, { terms: ranking.terms, settledBefore });
    return [
      { $search: search },
      // The index may have a former state, and cannot check every condition.
      { $match: { $and: [scopeFilter(this.#org, scope), { indexedAt: { $lt: settledBefore } }] } },
      { $limit: limit },
      { $project: { relevance: relevanceBy(ranking), bound: { $meta: 'searchScore' } } },
    ];
  }

  /** Reads settled memories and all that are not settled with one query, which sees one moment. */
  async #moment<Fields extends RankedFields>(
    scope: ReadScope,
    { ranking, fields, limit }: RankedRead,
    settledIds: readonly string[],
  ): Promise<{ found: Fields[]; gone: number }> {
    const matching = [scopeFilter(this.#org, scope), { terms: { $in: ranking.terms.map(({ term }) => term) } }];
    const settledBefore = this.#settledBefore;
    const settled = { _id: { $in: [...settledIds] }, indexedAt: { $lt: settledBefore } };
    const changed = { indexedAt: { $gte: settledBefore } };
    const best = (condition: Document): Document[] => [
      { $match: { $and: [...matching, condition] } },
      { $project: { ...fields, indexedAt: 1, relevance: relevanceBy(ranking) } },
    ];
    const pipeline = unionOf(this.#memories, [
      best(settled),
      [...best(changed), { $sort: { relevance: -1, createdAt: 1 } }, { $limit: limit }],
    ]);
    const batchSize = settledIds.length + limit + 1;
    const options = { readConcern: { level: 'snapshot' }, batchSize, ...this.#options } as const;
    const found = await this.#memories.aggregate<Fields & { indexedAt: Date }>(pipeline, options).toArray();
    const still = found.filter(({ indexedAt }) => indexedAt < settledBefore).length;
    return { found: found.sort(byRelevanceAndAge).slice(0, limit), gone: settledIds.length - still };
  }

  /** Returns a pipeline that counts the settled memories with a word. */
  #counting(term: string): Document[] {
    const filter = [...settledIn(this.#org, this.#settledBefore), hasTerm(term)];
    const count = { type: 'lowerBound', threshold: this.#maxRanked };
    return [
      { $searchMeta: { index: WORDS_INDEX, compound: { filter }, count } },
      // A literal, so that a word is never evaluated as an expression.
      { $project: { _id: 0, term: { $literal: term }, number: '$count.lowerBound' } },
    ];
  }

  /** Returns a pipeline that counts the memories with each word that are not settled. */
  #countingChanged(terms: readonly string[]): Document[] {
    return [
      { $match: { org: this.#org, indexedAt: { $gte: this.#settledBefore }, terms: { $in: [...terms] } } },
      { $project: { _id: 0, term: { $setIntersection: ['$terms', { $literal: [...terms] }] } } },
      { $unwind: '$term' },
      { $group: { _id: '$term', number: { $sum: 1 } } },
      { $project: { _id: 0, term: '$_id', number: 1 } },
    ];
  }
}
