import type { Document } from 'mongodb';
import { type AskedTerms, queryTerms, rarestTerms } from '../../../domain/retrieval/query-terms.js';
import type { KeywordMatch, KeywordMatches, KeywordQuery } from '../../../ports/memory-reader.js';
import type { Collections } from '../engine/collections.js';
import { MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';
import { type ContextSearch, hasChunks, relevantInContext } from './chunk-context.js';
import { bestByTerms, type RankedFields } from './rank-by-terms.js';
import { assertComparable, similaritiesTo } from './similarities.js';

/** Words that one query counts. The time to plan the query grows faster than this number. */
const COUNT_BATCH_SIZE = 32;

/** Bounds of a keyword search. */
export interface KeywordBounds {
  /**
   * Maximum number of memories that a search reads to rank them, if the words of its query are in more. The rarity of a
   * word in more memories is that of a word in this number of them.
   */
  maxRanked: number;
}

/**
 * Returns the memories with any of the query's words, ranked by BM25 in the database, best first. Rarity and average
 * length are those of the organization, so results reveal nothing about others.
 *
 * If the organization has chunks, the best are ranked again with the words of their neighbours.
 */
export async function relevantTo(
  { memories, organizations }: Pick<Collections, 'memories' | 'organizations'>,
  organizationId: string,
  query: KeywordQuery,
  { maxRanked, signal }: KeywordBounds & { signal: AbortSignal | undefined },
): Promise<KeywordMatches> {
  const options = readOptions(signal);
  const projection = { active: 1, deleted: 1, words: 1, settings: 1, vectorSlot: 1 };
  const asked = queryTerms(query.text);
  const [counts, isChunked, numbers] = await Promise.all([
    organizations.findOne({ _id: organizationId }, { projection, ...options }),
    hasChunks(memories, organizationId),
    countAsked({ memories, org: organizationId, most: maxRanked, options }, asked),
  ]);
  if (counts && query.comparedTo) assertComparable(counts, query.comparedTo);
  const all = counts ? counts.active + counts.deleted : 0;
  const { terms, wordsLeftOut, most } = rarestTerms(numbers, all, asked.secondary);
  const answer = { wordsLeftOut: asked.wordsLeftOut || wordsLeftOut, most };
  if (!counts || terms.length === 0) return { ...answer, matches: [] };

  const ranking = { terms, numbers, averageWords: Math.max(1, counts.words / Math.max(1, all)), maxRanked };
  const search = { memories, org: organizationId, query, ranking, options };
  const matches = await (isChunked ? relevantInContext(search) : relevantAlone(search));
  if (!query.comparedTo) return { ...answer, matches };
  const ids = matches.map(({ memory }) => memory.id);
  const similarities = await similaritiesTo(memories, counts, ids, query.comparedTo, options);
  return {
    ...answer,
    matches: matches.map((match) => ({ ...match, similarity: similarities.get(match.memory.id) ?? 0 })),
  };
}

async function relevantAlone({ memories, org, query, ranking, options }: ContextSearch): Promise<KeywordMatch[]> {
  const read = { ranking, fields: MEMORY_FIELDS, limit: query.limit, options };
  const found = await bestByTerms<MemoryFields & RankedFields>(memories, org, query, read);
  return found.map((document) => ({ memory: toMemory(org, document), relevance: document.relevance }));
}

interface Counting {
  memories: Collections['memories'];
  org: string;
  /** Counting a word ends at this number of memories. */
  most: number;
  options: ReadOptions;
}

/** Counts the memories that have each word. Counts secondary words, which are common, only if no memory has another. */
async function countAsked(counting: Counting, { counted, secondary }: AskedTerms): Promise<Map<string, number>> {
  // Keeps the order of the words, which decides between equally rare ones.
  const primary = counted.filter((term) => !secondary.has(term));
  const numbers = await countMemories(counting, primary);
  if ([...numbers.values()].some((number) => number > 0)) return numbers;
  const others = await countMemories(
    counting,
    counted.filter((term) => secondary.has(term)),
  );
  return new Map(counted.map((term) => [term, numbers.get(term) ?? others.get(term) ?? 0]));
}

/** Counts the memories that have each word. Batches run one after the other, so that a search uses one connection. */
async function countMemories(counting: Counting, terms: readonly string[]): Promise<Map<string, number>> {
  const { memories, options } = counting;
  const numbers = new Map(terms.map((term) => [term, 0]));
  for (let at = 0; at < terms.length; at += COUNT_BATCH_SIZE) {
    const pipeline = countingAll(counting, terms.slice(at, at + COUNT_BATCH_SIZE));
    const batchSize = COUNT_BATCH_SIZE + 1;
    const counted = memories.aggregate<{ term: string; number: number }>(pipeline, { batchSize, ...options });
    for (const { term, number } of await counted.toArray()) numbers.set(term, number);
  }
  return numbers;
}

/** Returns a pipeline that counts the memories of each word. */
function countingAll({ memories, org, most }: Counting, terms: readonly string[]): Document[] {
  const [first = [], ...others] = terms.map((term) => [
    { $match: { org, terms: term } },
    { $limit: most },
    // The index has this field, so the database counts without reading memories.
    { $project: { _id: 0, org: 1 } },
    { $count: 'number' },
    // A literal, so that a word is never evaluated as an expression.
    { $set: { term: { $literal: term } } },
  ]);
  const coll = memories.collectionName;
  return [...first, ...others.map((pipeline) => ({ $unionWith: { coll, pipeline } }))];
}
