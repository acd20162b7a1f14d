import type { Document, Filter } from 'mongodb';
import { type QueryTerm, queryTerms, rarestTerms } from '../../../domain/retrieval/query-terms.js';
import { BM25, mostOf } from '../../../domain/retrieval/ranking.js';
import type { KeywordMatches, KeywordQuery } from '../../../ports/store.js';
import type { Collections, MemoryDocument, OrganizationDocument } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import { MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';

/** Words that one query counts. The time to plan such a query grows faster than their number. */
const COUNTED_TOGETHER = 32;

type Counts = Pick<OrganizationDocument, 'active' | 'deleted' | 'words'>;

/**
 * The memories with any of the query's words that are best by BM25, best
 * first, ranked where they are stored. Rarity and average length are those of
 * the organization, so neither the order nor the numbers tell anything about
 * the others.
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

/** How many memories have each of the words. Some are counted after the others, so that a search keeps one connection. */
async function countMemories(
  memories: Collections['memories'],
  org: string,
  terms: readonly string[],
  options: ReadOptions,
): Promise<Map<string, number>> {
  // In the order of the words: it decides between equally rare ones.
  const numbers = new Map(terms.map((term) => [term, 0]));
  for (let at = 0; at < terms.length; at += COUNTED_TOGETHER) {
    const pipeline = countingAll(memories.collectionName, org, terms.slice(at, at + COUNTED_TOGETHER));
    const batchSize = COUNTED_TOGETHER + 1;
    const counted = memories.aggregate<{ term: string; number: number }>(pipeline, { batchSize, ...options });
    for (const { term, number } of await counted.toArray()) numbers.set(term, number);
  }
  return numbers;
}

/** A pipeline that gives the number of each word that any memory has. */
function countingAll(coll: string, org: string, terms: readonly string[]): Document[] {
  const [first = [], ...others] = terms.map((term) => [
    { $match: { org, terms: term } },
    { $count: 'number' },
    // A literal, so that a word is never read as an expression.
    { $set: { term: { $literal: term } } },
  ]);
  return [...first, ...others.map((pipeline) => ({ $unionWith: { coll, pipeline } }))];
}

function anyOf(terms: readonly QueryTerm[]): Filter<MemoryDocument> {
  return { terms: { $in: terms.map(({ term }) => term) } };
}

/** What a word adds to the relevance of a memory, as an expression over its document. */
function weightOf({ term, rarity }: QueryTerm, { active, deleted, words }: Counts): Document {
  const averageWords = Math.max(1, words / Math.max(1, active + deleted));
  const length = { $add: [1 - BM25.lengthWeight, { $multiply: [BM25.lengthWeight / averageWords, '$words'] }] };
  const weight = {
    $divide: [
      { $multiply: [mostOf(rarity), '$$times'] },
      { $add: ['$$times', { $multiply: [BM25.saturation, length] }] },
    ],
  };
  // Literals, so that a word is never read as an expression.
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
