import {
  listSimilarMemoriesBounds,
  searchMemoriesBounds as SEARCH,
  searchModeValues,
} from '../generated/constants.gen.js';
import type { SearchMode, SearchResponse, SearchResult, SimilarMemories } from '../generated/types.gen.js';
import { type MemoryRecord, presentMemory } from './record.js';
import { invalid } from './refusal.js';
import { assertFields, readBoolean, readLimit } from './validate.js';

const FIELDS = [
  'query',
  'limit',
  'filter',
  'includeDeleted',
  'minScore',
  'recencyWeight',
  'recencyHalflifeDays',
  'mode',
  'exact',
  'explain',
  'groupBy',
  'diversity',
  'rerank',
  'minRelevance',
];
const MICROSECONDS_PER_DAY = 86_400_000_000;

/** A validated search. */
export interface Search {
  query: string;
  limit: number;
  minScore: number;
  minRelevance: number;
  recencyWeight: number;
  halflifeDays: number;
  mode: SearchMode;
  filter: unknown;
  includeDeleted: unknown;
  groupBy: 'documentId' | undefined;
}

/** @throws {Refusal} */
export function readSearch(body: unknown): Search {
  assertFields(body, FIELDS);
  const { query, mode = SEARCH.mode.default, filter, includeDeleted, groupBy } = body;
  if (typeof query !== 'string' || query.trim() === '' || query.length > SEARCH.query.maxLength) {
    throw invalid('query', 'must be text, and not blank');
  }
  if (!isMode(mode)) throw invalid('mode', 'is not a mode');
  if (groupBy !== undefined && groupBy !== 'documentId') throw invalid('groupBy', 'must be documentId');
  if (readBoolean(body.rerank, 'rerank', SEARCH.rerank.default)) {
    throw invalid('rerank', 'is not available with the embedding provider of this service');
  }
  const diversity = readNumber(body, 'diversity', SEARCH.diversity.default, SEARCH.diversity.maximum);
  if (mode === 'keyword' && diversity > 0) throw invalid('diversity', 'is not allowed in keyword mode');
  return {
    query,
    limit: readLimit(body.limit, SEARCH.limit),
    minRelevance: readNumber(body, 'minRelevance', 0, SEARCH.minRelevance.maximum),
    minScore: readNumber(body, 'minScore', 0, SEARCH.minScore.maximum),
    recencyWeight: readNumber(body, 'recencyWeight', SEARCH.recencyWeight.default, SEARCH.recencyWeight.maximum),
    halflifeDays: readNumber(
      body,
      'recencyHalflifeDays',
      SEARCH.recencyHalflifeDays.default,
      SEARCH.recencyHalflifeDays.maximum,
    ),
    mode,
    filter,
    includeDeleted,
    groupBy,
  };
}

/**
 * Returns the memories that share most words with the query. The service compares meanings, but comparing words is
 * enough for most tests. Here relevance is the similarity, and 1 for the text of the query. `diversity` is accepted and changes nothing.
 */
export function rank(records: readonly MemoryRecord[], search: Search): SearchResponse {
  const wanted = wordsOf(search.query);
  const now = Date.now() * 1_000;
  const ranked = records
    .map((record) => {
      const similarity = likeness(wanted, wordsOf(record.content));
      const ageDays = Math.max(0, now - record.createdAt) / MICROSECONDS_PER_DAY;
      const recency = 0.5 ** (ageDays / search.halflifeDays);
      const score = (1 - search.recencyWeight) * similarity + search.recencyWeight * recency;
      const relevance = record.content.toLowerCase() === search.query.toLowerCase() ? 1 : similarity;
      return { ...presentMemory(record), score, similarity, relevance } satisfies SearchResult;
    })
    .filter(({ relevance }) => relevance >= search.minRelevance)
    .filter(({ similarity }) => similarity >= search.minScore && (search.mode !== 'keyword' || similarity > 0))
    .sort((one, other) => other.score - one.score);
  const results = (search.groupBy ? bestOfDocuments(ranked) : ranked).slice(0, search.limit);
  return { results, meta: { count: results.length, mode: search.mode } };
}

/** Returns the best result of each document, and those that belong to none. */
function bestOfDocuments(ranked: readonly SearchResult[]): SearchResult[] {
  const groups = new Map<string, SearchResult[]>();
  for (const result of ranked) {
    const { documentId } = result.metadata;
    const key = documentId === undefined ? result.id : JSON.stringify([documentId, result.subjectKey]);
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()].flatMap(([best, ...others]) => {
    if (!best) return [];
    const { documentId } = best.metadata;
    return typeof documentId === 'string' ? { ...best, group: { documentId, others: others.length } } : best;
  });
}

/** Returns the other memories that share most words with a memory. */
export function rankSimilar(
  records: readonly MemoryRecord[],
  memory: MemoryRecord,
  query: URLSearchParams,
): SimilarMemories {
  const limit = readLimit(query.get('limit'), listSimilarMemoriesBounds.limit);
  const wanted = wordsOf(memory.content);
  const results = records
    .filter(({ id }) => id !== memory.id)
    .map((record) => {
      const similarity = likeness(wanted, wordsOf(record.content));
      return { ...presentMemory(record), score: similarity, similarity } satisfies SearchResult;
    })
    .sort((one, other) => other.score - one.score)
    .slice(0, limit);
  return { results, meta: { count: results.length } };
}

/** Returns the cosine similarity of two sets of words. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / Math.sqrt(one.size * other.size);
}

/** Splits a text into words without endings, so that "leads" matches "lead". */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|es|s)$/, '') : word)));
}

function isMode(value: unknown): value is SearchMode {
  return searchModeValues.some((mode) => mode === value);
}

function readNumber(body: Record<string, unknown>, name: string, fallback: number, max: number): number {
  const value = body[name] ?? fallback;
  if (typeof value === 'number' && value >= 0 && value <= max) return value;
  throw invalid(name, `must be a number from 0 to ${max}`);
}
