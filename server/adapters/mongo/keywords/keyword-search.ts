import { Highest } from '../../../domain/retrieval/highest.js';
import { type AskedTerms, queryTerms, rarestTerms } from '../../../domain/retrieval/query-terms.js';
import type { KeywordMatch, KeywordMatches, KeywordQuery } from '../../../ports/memory-reader.js';
import { SearchUnavailableError } from '../../../ports/store-errors.js';
import type { Collections } from '../engine/collections.js';
import { MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';
import { OWN_WORDS_INDEX } from '../engine/schema.js';
import { BEGINNING_OF_TIME, type IndexStates, type IndexView, USUAL_WINDOW_MS } from '../search-index/index-state.js';
import { IndexUnusableError } from '../search-index/index-unusable.js';
import { type ContextSearch, hasChunks, relevantInContext } from './chunk-context.js';
import { OwnWords } from './own-words.js';
import type { RankedFields } from './rank-by-terms.js';
import { SearchedWords } from './searched-words.js';
import { assertComparable, similaritiesTo } from './similarities.js';
import type { WordSource } from './word-source.js';
import { WORDS_INDEX } from './words-index.js';

/** Settings of keyword searches. */
export interface KeywordSettings {
  /**
   * Maximum number of memories that a search reads to rank them, if the words of its query are in more. The rarity of a
   * word in more memories is that of a word in this number of them.
   */
  maxRanked: number;
  /** Maximum number of memories that a search compares one by one because the search index does not include them. */
  maxCompared: number;
  /** State of the search indexes, if searches use the search index of words. By default they use the database's own. */
  indexes?: IndexStates | undefined;
}

/**
 * Searches by words: ranks the memories with any of the query's words by BM25 in the database. Rarity and average length
 * are those of the organization, so results reveal nothing about others.
 *
 * If the organization has chunks, the best are ranked again with the words of their neighbours.
 */
export class KeywordSearch {
  readonly #collections: Pick<Collections, 'memories' | 'organizations'>;
  readonly #settings: KeywordSettings;

  constructor(collections: Pick<Collections, 'memories' | 'organizations'>, settings: KeywordSettings) {
    this.#collections = collections;
    this.#settings = settings;
  }

  /** Returns the best matches, best first. @throws {SearchUnavailableError} */
  async run(organizationId: string, query: KeywordQuery, signal?: AbortSignal): Promise<KeywordMatches> {
    const options = readOptions(signal);
    try {
      return await this.#relevantTo(organizationId, query, await this.#words(organizationId, options), options);
    } catch (error) {
      if (!(error instanceof IndexUnusableError)) throw error;
      return this.#relevantTo(organizationId, query, await this.#withoutIndex(organizationId, options), options);
    }
  }

  async #relevantTo(
    organizationId: string,
    query: KeywordQuery,
    words: WordSource,
    options: ReadOptions,
  ): Promise<KeywordMatches> {
    const { memories, organizations } = this.#collections;
    const { maxRanked } = this.#settings;
    const projection = { active: 1, deleted: 1, words: 1, settings: 1, vectorSlot: 1 };
    const asked = queryTerms(query.text);
    const [counts, isChunked, numbers] = await Promise.all([
      organizations.findOne({ _id: organizationId }, { projection, ...options }),
      hasChunks(memories, organizationId),
      countAsked(words, asked),
    ]);
    if (counts && query.comparedTo) assertComparable(counts, query.comparedTo);
    const all = counts ? counts.active + counts.deleted : 0;
    const { terms, wordsLeftOut, most } = rarestTerms(numbers, all, asked.secondary);
    const answer = { wordsLeftOut: asked.wordsLeftOut || wordsLeftOut, most };
    if (!counts || terms.length === 0) {
      await words.confirm();
      return { ...answer, matches: [] };
    }

    const ranking = { terms, numbers, averageWords: Math.max(1, counts.words / Math.max(1, all)), maxRanked };
    const search = { memories, words, org: organizationId, query, ranking, options };
    const matches = await (isChunked ? relevantInContext(search) : relevantAlone(search));
    if (!query.comparedTo) return { ...answer, matches: keptOf(query, most, matches) };
    const ids = matches.map(({ memory }) => memory.id);
    const similarities = await similaritiesTo(memories, counts, ids, query.comparedTo, options);
    const compared = matches.map((match) => ({ ...match, similarity: similarities.get(match.memory.id) ?? 0 }));
    return { ...answer, matches: keptOf(query, most, compared) };
  }

  async #words(org: string, options: ReadOptions): Promise<WordSource> {
    const { indexes } = this.#settings;
    if (!indexes) return this.#ownWords(org, options);
    const view = await indexes.view(WORDS_INDEX);
    if (!view) return this.#withoutIndex(org, options);
    const isUsual = Date.now() - view.settledBefore.getTime() <= USUAL_WINDOW_MS;
    if (!isUsual && !(await this.#areFew(org, view.settledBefore, options))) return this.#withoutIndex(org, options);
    return this.#searchedWords(org, options, view);
  }

  /** @throws {SearchUnavailableError} if there are too many memories to compare all, and no own index of words */
  async #withoutIndex(org: string, options: ReadOptions): Promise<WordSource> {
    if (await this.#collections.memories.indexExists(OWN_WORDS_INDEX, options)) return this.#ownWords(org, options);
    if (await this.#areFew(org, BEGINNING_OF_TIME, options)) return this.#searchedWords(org, options);
    throw new SearchUnavailableError();
  }

  /** Reports if so few memories have changed since a time that a search can compare them one by one. */
  async #areFew(org: string, since: Date, options: ReadOptions): Promise<boolean> {
    const { maxCompared } = this.#settings;
    const changed = { org, indexedAt: { $gte: since } };
    const limit = maxCompared + 1;
    return (await this.#collections.memories.countDocuments(changed, { limit, ...options })) <= maxCompared;
  }

  #ownWords(org: string, options: ReadOptions): WordSource {
    return new OwnWords(this.#collections.memories, org, this.#settings.maxRanked, options);
  }

  #searchedWords(org: string, options: ReadOptions, view?: IndexView): WordSource {
    const { indexes, maxRanked } = this.#settings;
    const confirm = async () => !view || (await indexes?.confirm(WORDS_INDEX, view)) === true;
    return new SearchedWords(this.#collections.memories, org, { view, confirm, maxRanked }, options);
  }
}

/** Returns the matches that a query keeps, in the given order. To read them later would be one more wait. */
function keptOf({ kept }: KeywordQuery, most: number, matches: KeywordMatch[]): KeywordMatch[] {
  if (!kept) return matches;
  const highest = new Highest(kept.limit);
  const scored = matches.flatMap((match) => {
    const { memory, relevance, similarity = 0 } = match;
    const score = kept.scoreOf({ createdAt: memory.createdAt, relevance, similarity }, most);
    if (score === undefined) return [];
    highest.add(score);
    return { match, score };
  });
  return scored.filter(({ score }) => score >= highest.lowest).map(({ match }) => match);
}

async function relevantAlone({ words, org, query, ranking, options }: ContextSearch): Promise<KeywordMatch[]> {
  const read = { ranking, fields: MEMORY_FIELDS, limit: query.limit, options };
  const found = await words.best<MemoryFields & RankedFields>(query, read);
  return found.map((document) => ({ memory: toMemory(org, document), relevance: document.relevance }));
}

/** Counts the memories that have each word. Counts secondary words, which are common, only if no memory has another. */
async function countAsked(words: WordSource, { counted, secondary }: AskedTerms): Promise<Map<string, number>> {
  // Keeps the order of the words, which decides between equally rare ones.
  const primary = counted.filter((term) => !secondary.has(term));
  const numbers = await words.count(primary);
  if ([...numbers.values()].some((number) => number > 0)) return numbers;
  const others = await words.count(counted.filter((term) => secondary.has(term)));
  return new Map(counted.map((term) => [term, numbers.get(term) ?? others.get(term) ?? 0]));
}
