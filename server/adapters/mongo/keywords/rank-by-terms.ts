import type { Document } from 'mongodb';
import type { QueryTerm } from '../../../domain/retrieval/query-terms.js';
import { BM25, mostOf } from '../../../domain/retrieval/ranking.js';
import type { ReadScope } from '../../../ports/memory-reader.js';
import { scopeFilter } from '../engine/filters.js';

/** The parts of BM25 that are equal for all memories. */
export interface TermRanking {
  terms: readonly QueryTerm[];
  /** Mean length of the contents of the organization. */
  averageWords: number;
}

interface RankedRead {
  ranking: TermRanking;
  /** Projection of the results. They also have their `relevance`. */
  fields: Document;
  limit: number;
}

/** Returns a pipeline of the memories with any of the terms, the most relevant first. */
export function byRelevance(org: string, scope: ReadScope, { ranking, fields, limit }: RankedRead): Document[] {
  const { terms, averageWords } = ranking;
  const anyOf = { terms: { $in: terms.map(({ term }) => term) } };
  return [
    { $match: { $and: [scopeFilter(org, scope), anyOf] } },
    { $project: { ...fields, relevance: { $add: terms.map((term) => weightOf(term, averageWords)) } } },
    { $sort: { relevance: -1, createdAt: 1 } },
    { $limit: limit },
  ];
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
