import type { Document } from 'mongodb';
import { queryTerms, rarestTerms } from '../../../domain/retrieval/query-terms.js';
import type { KeywordMatches, KeywordQuery } from '../../../ports/memory-reader.js';
import type { Collections } from '../engine/collections.js';
import { MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';
import { hasChunks, relevantInContext } from './chunk-context.js';
import { byRelevance } from './rank-by-terms.js';

/** Words that one query counts. The time to plan the query grows faster than this number. */
const COUNT_BATCH_SIZE = 32;

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
  signal?: AbortSignal,
): Promise<KeywordMatches> {
  const options = readOptions(signal);
  const projection = { active: 1, deleted: 1, words: 1 };
  const asked = queryTerms(query.text);
  const [counts, isChunked, numbers] = await Promise.all([
    organizations.findOne({ _id: organizationId }, { projection, ...options }),
    hasChunks(memories, organizationId),
    countMemories(memories, organizationId, asked.counted, options),
  ]);
  const all = counts ? counts.active + counts.deleted : 0;
  const { terms, wordsLeftOut, most } = rarestTerms(numbers, all, asked.secondary);
  const answer = { wordsLeftOut: asked.wordsLeftOut || wordsLeftOut, most };
  if (!counts || terms.length === 0) return { ...answer, matches: [] };

  const ranking = { terms, averageWords: Math.max(1, counts.words / Math.max(1, all)) };
  if (isChunked) {
    const search = { memories, org: organizationId, query, ranking, options };
    return { ...answer, matches: await relevantInContext(search) };
  }
  const pipeline = byRelevance(organizationId, query, { ranking, fields: MEMORY_FIELDS, limit: query.limit });
  const found = await memories.aggregate<MemoryFields & { relevance: number }>(pipeline, options).toArray();
  return {
    ...answer,
    matches: found.map((document) => ({
      memory: toMemory(organizationId, document),
      relevance: document.relevance,
    })),
  };
}

/** Counts the memories that have each word. Batches run one after the other, so that a search uses one connection. */
async function countMemories(
  memories: Collections['memories'],
  org: string,
  terms: readonly string[],
  options: ReadOptions,
): Promise<Map<string, number>> {
  // Keeps the order of the words, which decides between equally rare ones.
  const numbers = new Map(terms.map((term) => [term, 0]));
  for (let at = 0; at < terms.length; at += COUNT_BATCH_SIZE) {
    const pipeline = countingAll(memories.collectionName, org, terms.slice(at, at + COUNT_BATCH_SIZE));
    const batchSize = COUNT_BATCH_SIZE + 1;
    const counted = memories.aggregate<{ term: string; number: number }>(pipeline, { batchSize, ...options });
    for (const { term, number } of await counted.toArray()) numbers.set(term, number);
  }
  return numbers;
}

/** Returns a pipeline that counts the memories of each word. */
function countingAll(coll: string, org: string, terms: readonly string[]): Document[] {
  const [first = [], ...others] = terms.map((term) => [
    { $match: { org, terms: term } },
    { $count: 'number' },
    // A literal, so that a word is never evaluated as an expression.
    { $set: { term: { $literal: term } } },
  ]);
  return [...first, ...others.map((pipeline) => ({ $unionWith: { coll, pipeline } }))];
}
