import type { Document, Filter } from 'mongodb';
import { MAX_QUERY_TERMS, termsOf } from '../../../domain/retrieval/keyword-terms.js';
import type { KeywordMatch, KeywordQuery } from '../../../ports/store.js';
import type { Collections, MemoryDocument, OrganizationDocument } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import { MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';

/** The usual constants of BM25: how soon repeats stop counting, and how much length does. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/** A word is common that so many memories have, and so large a part of them: its list is long and tells little. */
const COMMON = { memories: 1_000, share: 0.25 };

const COUNTED_AT_ONCE = 16;

interface Term {
  term: string;
  /** Weight of a word that so few memories have. */
  rarity: number;
}

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
): Promise<KeywordMatch[]> {
  const options = readOptions(signal);
  const projection = { active: 1, deleted: 1, words: 1 };
  const [counts, numbers] = await Promise.all([
    organizations.findOne({ _id: organizationId }, { projection, ...options }),
    countMemories(memories, organizationId, query.text, options),
  ]);
  if (!counts) return [];
  const terms = byRarity(numbers, counts);
  if (terms.length === 0) return [];

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
  return found.map((document) => ({ memory: toMemory(organizationId, document), relevance: document.relevance }));
}

/** How many memories have each of the words of a text. */
async function countMemories(
  memories: Collections['memories'],
  org: string,
  text: string,
  options: ReadOptions,
): Promise<Map<string, number>> {
  const distinct = [...new Set(termsOf(text))];
  const numbers = new Map<string, number>();
  for (let at = 0; at < distinct.length; at += COUNTED_AT_ONCE) {
    const terms = distinct.slice(at, at + COUNTED_AT_ONCE);
    const counted = await Promise.all(terms.map((term) => memories.countDocuments({ org, terms: term }, options)));
    for (const [index, term] of terms.entries()) numbers.set(term, counted[index] ?? 0);
  }
  return numbers;
}

/** The rarest words, at most `MAX_QUERY_TERMS`, rarest first, without the common ones unless all are. */
function byRarity(numbers: ReadonlyMap<string, number>, { active, deleted }: Counts): Term[] {
  const all = active + deleted;
  const common = Math.max(COMMON.memories, all * COMMON.share);
  const known: (Term & { found: number })[] = [];
  for (const [term, number] of numbers) {
    // A write may have come between the counts.
    const found = Math.min(number, all);
    if (found > 0) known.push({ term, found, rarity: Math.log(1 + (all - found + 0.5) / (found + 0.5)) });
  }
  known.sort((a, b) => b.rarity - a.rarity);
  const telling = known.filter(({ found }) => found <= common);
  return (telling.length > 0 ? telling : known).slice(0, MAX_QUERY_TERMS);
}

function anyOf(terms: readonly Term[]): Filter<MemoryDocument> {
  return { terms: { $in: terms.map(({ term }) => term) } };
}

/** What a word adds to the relevance of a memory, as an expression over its document. */
function weightOf({ term, rarity }: Term, { active, deleted, words }: Counts): Document {
  const averageWords = Math.max(1, words / Math.max(1, active + deleted));
  const length = { $add: [1 - LENGTH_WEIGHT, { $multiply: [LENGTH_WEIGHT / averageWords, '$words'] }] };
  const weight = {
    $divide: [
      { $multiply: [rarity * (SATURATION + 1), '$$times'] },
      { $add: ['$$times', { $multiply: [SATURATION, length] }] },
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
