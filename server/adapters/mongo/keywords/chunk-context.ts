import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import { type Filter, NO_FILTER } from '../../../domain/filter/filter.js';
import {
  type Candidate,
  type ChunkPlace,
  CONTEXT_CANDIDATES,
  inContext,
  placesAround,
  relevanceOf,
} from '../../../domain/retrieval/context.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { KeywordMatch, KeywordQuery } from '../../../ports/memory-reader.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import { scopeFilter } from '../engine/filters.js';
import { MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import { type ReadOptions, readOptions } from '../engine/read-options.js';
import { type RankedFields, type TermRanking, timesOf } from './rank-by-terms.js';
import type { WordSource } from './word-source.js';

type Memories = Collections['memories'];
type Placed = Pick<MemoryDocument, '_id' | 'createdAt' | 'words' | 'live' | 'subject' | 'chunk'> & { times: number[] };
type RankedPlaced = Placed & RankedFields;
type Ranked = Candidate & { key: string; createdAt: Microseconds };
type RelevantMemory = Pick<Ranked, 'key' | 'createdAt'> & { relevance: number };

/** Reports if an organization has an active chunk. Reads one entry of an index, so it needs no signal. */
export async function hasChunks(memories: Memories, org: string): Promise<boolean> {
  const filter = { org, live: true, document: { $exists: true } };
  return (await memories.findOne(filter, { projection: { _id: 1 }, ...readOptions() })) !== null;
}

/** The parts that every query of one search shares. */
export interface ContextSearch {
  memories: Memories;
  words: WordSource;
  org: string;
  query: KeywordQuery;
  ranking: TermRanking;
  options: ReadOptions;
}

/**
 * Returns the most relevant memories, best first. The best by their own words are ranked again with the words of their
 * neighbours. A neighbour that does not match the filter gives its words, but is not returned.
 */
export async function relevantInContext(search: ContextSearch): Promise<KeywordMatch[]> {
  const { terms, averageWords } = search.ranking;
  const candidates = await bestByOwnWords(search);
  const around = await lastAtPlaces(search, placesAround(candidates));
  const ranked = inContext(candidates, around)
    .map((each) => ({ key: each.key, createdAt: each.createdAt, relevance: relevanceOf(terms, each, averageWords) }))
    .filter(({ relevance }) => relevance > 0)
    .sort((a, b) => b.relevance - a.relevance || a.createdAt - b.createdAt);
  const allowed = await matching(search, ranked);
  return withMemories(search, allowed.slice(0, search.query.limit));
}

async function bestByOwnWords({ words, query, ranking, options }: ContextSearch): Promise<Ranked[]> {
  const { filter, includeDeleted } = query;
  const scopes = [{ filter, includeDeleted }];
  if (includeDeleted || hasConditions(query)) scopes.push({ filter: NO_FILTER, includeDeleted: false });
  const limit = Math.max(query.limit, CONTEXT_CANDIDATES);
  const found = new Map<string, Ranked>();
  for (const scope of scopes) {
    const read = { ranking, fields: placedFields(ranking), limit, options };
    for (const each of await words.best<RankedPlaced>(scope, read)) found.set(each._id, toRanked(each));
  }
  return [...found.values()];
}

/** Returns the active memory at each place. Of several, the one created last. */
async function lastAtPlaces(
  { memories, org, ranking, options }: ContextSearch,
  places: ChunkPlace[],
): Promise<Ranked[]> {
  if (places.length === 0) return [];
  const chunks = new Map<string, string[]>(places.map(({ subject }) => [subject, []]));
  for (const { subject, chunk } of places) chunks.get(subject)?.push(chunk);
  const anyOf = Array.from(chunks, ([subject, of]) => {
    return { org, live: true, document: { $exists: true }, subject, chunk: { $in: of } };
  });
  const last = { $top: { sortBy: { createdAt: -1 }, output: '$$ROOT' } };
  const pipeline = [
    { $match: { $or: anyOf } },
    { $project: placedFields(ranking) },
    { $group: { _id: { subject: '$subject', chunk: '$chunk' }, last } },
    { $replaceWith: '$last' },
  ];
  return (await memories.aggregate<Placed>(pipeline, options).toArray()).map(toRanked);
}

/** Returns those that match the filter, in the same order. The others are neighbours. */
async function matching(
  { memories, org, query, options }: ContextSearch,
  ranked: RelevantMemory[],
): Promise<RelevantMemory[]> {
  if (!hasConditions(query)) return ranked;
  const filter = { ...scopeFilter(org, query), _id: { $in: ranked.map(({ key }) => key) } };
  const found = await memories.find(filter, { projection: { _id: 1 }, ...options }).toArray();
  const ids = new Set(found.map(({ _id }) => _id));
  return ranked.filter(({ key }) => ids.has(key));
}

/** Reads the memories. Leaves out those that a write has removed from the scope meanwhile. */
async function withMemories(
  { memories, org, query, options }: ContextSearch,
  ranked: RelevantMemory[],
): Promise<KeywordMatch[]> {
  const filter = { ...scopeFilter(org, query), _id: { $in: ranked.map(({ key }) => key) } };
  const found = await memories.find<MemoryFields>(filter, { projection: MEMORY_FIELDS, ...options }).toArray();
  const byId = new Map(found.map((document) => [document._id, document]));
  return ranked.flatMap(({ key, relevance }) => {
    const document = byId.get(key);
    return document ? [{ memory: toMemory(org, document), relevance }] : [];
  });
}

function hasConditions({ filter }: KeywordQuery): boolean {
  const matchOf = (given: Filter) => scopeFilter('', { filter: given, includeDeleted: false });
  return !isDeepStrictEqual(matchOf(filter), matchOf(NO_FILTER));
}

function placedFields({ terms }: TermRanking): Document {
  return { createdAt: 1, words: 1, live: 1, subject: 1, chunk: 1, times: terms.map(timesOf) };
}

function toRanked({ _id, createdAt, words, live, subject, chunk, times }: Placed): Ranked {
  return { key: _id, createdAt, words, times, ...(live && chunk && { place: { subject, chunk } }) };
}
