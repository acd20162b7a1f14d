import type { Document, Filter } from 'mongodb';
import { type QueryTerm, queryTerms, rarestTerms } from '../../../domain/retrieval/query-terms.js';
import { BM25, mostOf } from '../../../domain/retrieval/ranking.js';
import type { KeywordMatches, KeywordQuery } from '../../../ports/memory-reader.js';
import type { Collections, MemoryDocument, OrganizationDocument } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import { MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';

/** Words that one query counts. The time to plan the query grows faster than this number. */
const COUNT_BATCH_SIZE = 32;

type Counts = Pick<OrganizationDocument, 'active' | 'deleted' | 'words'>;

/**
 * Returns the memories with any of the query's words, ranked by BM25 in the database, best first. Rarity and average
 * length are those of the organization, so results reveal nothing about others.
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
  const [counts, numbers] = await Promise.all([
    organizations.findOne({ _id: organizationId }, { projection, ...options }),
    countMemories(memories, organizationId, asked.counted, options),
  ]);
  const all = counts ? counts.active + counts.deleted : 0;
  const { terms, wordsLeftOut, most } = rarestTerms(numbers, all, asked.secondary);
  const answer = { wordsLeftOut: asked.wordsLeftOut || wordsLeftOut, most };
  if (!counts || terms.length === 0) return { ...answer, matches: [] };

  const found = await memories
    .aggregate<MemoryFields & { relevance: number }>(
      [
        { $match: { $and: [scopeFilter(organizationId, query), anyOf(terms)] } },
        { $project: { ...MEMORY_FIELDS, relevance: { $add: terms.map((term) => weightOf(term, counts)) } } },
        { $sort: { relevance: -1, createdAt: 1 } },
        { $limit: query.limit },
      ],
      options,
    )
    .toArray();
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

function anyOf(terms: readonly QueryTerm[]): Filter<MemoryDocument> {
  return { terms: { $in: terms.map(({ term }) => term) } };
}

/** Returns the weight of a word in the relevance of a memory, as an expression over its document. */
function weightOf({ term, rarity }: QueryTerm, { active, deleted, words }: Counts): Document {
  const averageWords = Math.max(1, words / Math.max(1, active + deleted));
  const length = { $add: [1 - BM25.lengthWeight, { $multiply: [BM25.lengthWeight / averageWords, '$words'] }] };
  const weight = {
    $divide: [
      { $multiply: [mostOf(rarity), '$$times'] },
      { $add: ['$$times', { $multiply: [BM25.saturation, length] }] },
    ],
  };
  // Literals, so that a word is never evaluated as an expression.
  const place = { $indexOfArray: ['$terms', { $literal: term }] };
  return {
    $let: {
      vars: { place },
      in: {
        $cond: [
          { $lt: ['$$place', 0] },
          0,
          { $let: { vars: { times: { $arrayElemAt: ['$times', '$$place'] } }, in: weight } },
        ],
      },
    },
  };
}
