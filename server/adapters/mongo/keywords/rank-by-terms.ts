import type { Document } from 'mongodb';
import type { QueryTerm } from '../../../domain/retrieval/query-terms.js';
import { BM25, mostOf } from '../../../domain/retrieval/ranking.js';
import type { ReadScope } from '../../../ports/memory-reader.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import type { ReadOptions } from '../engine/read-options.js';

/** The parts of BM25 that are equal for all memories. */
export interface TermRanking {
  /** Rarest first. */
  terms: readonly QueryTerm[];
  /** Number of memories with each term, at most `maxRanked`. */
  numbers: ReadonlyMap<string, number>;
  /** Mean length of the contents of the organization. */
  averageWords: number;
  /** Maximum number of memories that are read to rank them, if the words of a query are in more. */
  maxRanked: number;
}

/** The fields that every ranked memory has. */
export type RankedFields = Pick<MemoryDocument, '_id' | 'createdAt'> & { relevance: number };

/** Fields that a search reads of the best memories, and their number. */
export interface RankedRead {
  ranking: TermRanking;
  /** Projection of the results, with `createdAt`. They also have their `relevance`. */
  fields: Document;
  limit: number;
  options: ReadOptions;
}

/** Share of `maxRanked` in the first read. Often its words are so rare that no other memory can be better. */
const FIRST_SHARE = 0.1;

/**
 * Returns the memories with any of the terms that score best, best first. Reads those with the rarest terms first, and
 * ends as soon as the others cannot be better, or `maxRanked` are read. Returns fewer than `limit` only if no more match.
 */
export async function bestByTerms<Fields extends RankedFields>(
  memories: Collections['memories'],
  org: string,
  scope: ReadScope,
  { ranking, fields, limit, options }: RankedRead,
): Promise<Fields[]> {
  const { terms, maxRanked } = ranking;
  const found = new Map<string, Fields>();
  let best: Fields[] = [];
  let from = 0;
  let ranked = 0;
  for (const most of [FIRST_SHARE * maxRanked, maxRanked, Number.POSITIVE_INFINITY]) {
    const isFull = best.length === limit;
    if (isFull && (most > maxRanked || (best.at(-1)?.relevance ?? 0) >= mostOfAll(terms.slice(from)))) break;
    const to = endOf(ranking, from, most - ranked, isFull);
    const sum = sumOf(ranking, terms.slice(from, to));
    const isTooLittle = most < maxRanked && sum < limit && to < terms.length;
    if (to === from || isTooLittle) continue;
    const read = { terms: terms.slice(from, to), ranking, fields, limit };
    for (const each of await memories.aggregate<Fields>(byRelevance(org, scope, read), options).toArray()) {
      found.set(each._id, each);
    }
    best = [...found.values()].sort(byRelevanceAndAge).slice(0, limit);
    ranked += sum;
    from = to;
  }
  return best;
}

/** Returns the end of the terms from a place that are in at most `room` memories, together. Without `isFull`, at least one. */
function endOf(ranking: TermRanking, from: number, room: number, isFull: boolean): number {
  const { terms } = ranking;
  let to = isFull ? from : Math.min(from + 1, terms.length);
  while (to < terms.length && sumOf(ranking, terms.slice(from, to + 1)) <= room) to += 1;
  return to;
}

function sumOf({ numbers }: TermRanking, terms: readonly QueryTerm[]): number {
  return terms.reduce((sum, { term }) => sum + (numbers.get(term) ?? 0), 0);
}

/** Returns the relevance that a memory with all of the terms cannot reach. */
function mostOfAll(terms: readonly QueryTerm[]): number {
  return terms.reduce((sum, { rarity }) => sum + mostOf(rarity), 0);
}

interface TermsRead extends Pick<RankedRead, 'ranking' | 'fields' | 'limit'> {
  /** The read memories have one of these. All terms of the ranking count in their relevance. */
  terms: readonly QueryTerm[];
}

/** Returns a pipeline of the memories with any of some terms, the most relevant first. */
function byRelevance(org: string, scope: ReadScope, { terms, ranking, fields, limit }: TermsRead): Document[] {
  const { maxRanked } = ranking;
  const anyOf = { terms: { $in: terms.map(({ term }) => term) } };
  return [
    { $match: { $and: [scopeFilter(org, scope), anyOf] } },
    // Some of them may be among fewer than `limit` that an earlier read found.
    { $limit: Math.max(maxRanked, 2 * limit) },
    { $project: { ...fields, relevance: relevanceBy(ranking) } },
    { $sort: { relevance: -1, createdAt: 1 } },
    { $limit: limit },
  ];
}

/** Compares ranked memories: the most relevant first, and the older one of equals. */
export function byRelevanceAndAge(one: RankedFields, other: RankedFields): number {
  return other.relevance - one.relevance || one.createdAt - other.createdAt;
}

/** Returns the relevance of a memory, as an expression over its document. */
export function relevanceBy({ terms, averageWords }: TermRanking): Document {
  return { $add: terms.map((term) => weightOf(term, averageWords)) };
}

/** Returns how often a memory has a word, as an expression over its document. */
export function timesOf({ term }: QueryTerm): Document {
  return ifPresent(term, '$$times');
}

/** Returns the weight of a word in the relevance of a memory, as an expression over its document. */
function weightOf({ term, rarity }: QueryTerm, averageWords: number): Document {
  const length = { $add: [1 - BM25.lengthWeight, { $multiply: [BM25.lengthWeight / averageWords, '$words'] }] };
  return ifPresent(term, {
    $divide: [
      { $multiply: [mostOf(rarity), '$$times'] },
      { $add: ['$$times', { $multiply: [BM25.saturation, length] }] },
    ],
  });
}

/** Returns an expression that is 0 for memories without the word. In `value`, `$$times` is the number of occurrences. */
function ifPresent(term: string, value: Document | string): Document {
  // A literal, so that a word is never evaluated as an expression.
  const place = { $indexOfArray: ['$terms', { $literal: term }] };
  const times = { $arrayElemAt: ['$times', '$$place'] };
  const present = { $let: { vars: { times }, in: value } };
  return { $let: { vars: { place }, in: { $cond: [{ $lt: ['$$place', 0] }, 0, present] } } };
}
