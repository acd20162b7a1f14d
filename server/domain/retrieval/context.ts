import { chunkAt, parseChunkIdentity } from '../documents/chunk.js';
import type { QueryTerm } from './query-terms.js';
import { BM25, mostOf } from './ranking.js';

/**
 * Weights of the words of neighbouring chunks, by their distance: the chunks next to a chunk, and the ones beyond.
 * `npm run eval` measures them.
 */
const WEIGHTS = [0.7, 0.35];

/**
 * Number of memories, the best by their own words, whose chunks are ranked again in context, together with their
 * neighbours. A higher number changed no result of `npm run eval`.
 */
export const CONTEXT_CANDIDATES = 100;

/** The words of a query that a memory has. */
export interface Occurrences {
  /** Occurrences of each word of the query. */
  times: readonly number[];
  /** Number of words of the content. */
  words: number;
}

/** Subject and chunk of a memory, as stores save them. */
export interface ChunkPlace {
  /** `subjectText` of the subject key. */
  subject: string;
  /** `chunkIdentity` of the metadata. */
  chunk: string;
}

/** A memory that may be ranked. */
export interface Candidate extends Occurrences {
  key: string | number;
  /** Set if the memory is an active chunk. Only these have context, and are context. */
  place?: ChunkPlace | undefined;
}

/** Returns BM25 of a memory. */
export function relevanceOf(terms: readonly QueryTerm[], { times, words }: Occurrences, averageWords: number): number {
  return terms.reduce((sum, { rarity }, index) => sum + weightOf(rarity, times[index] ?? 0, words / averageWords), 0);
}

/** Returns what a word adds to BM25. */
export function weightOf(rarity: number, times: number, relativeLength: number): number {
  const length = 1 - BM25.lengthWeight + BM25.lengthWeight * relativeLength;
  return (mostOf(rarity) * times) / (times + BM25.saturation * length);
}

/** Returns the places of the candidates, of their neighbours, and of the neighbours of those. */
export function placesAround(candidates: readonly Candidate[]): ChunkPlace[] {
  const places = new Map<string, ChunkPlace>();
  for (const { place } of candidates) {
    if (place === undefined) continue;
    places.set(placeKey(place), place);
    for (const { place: around } of neighboursOf(place, 2 * WEIGHTS.length)) places.set(placeKey(around), around);
  }
  return [...places.values()];
}

/**
 * Returns the candidates and their neighbours. Each active chunk has the words of its neighbours besides its own, and
 * the mean of their lengths.
 *
 * @param around the memories at `placesAround`. Of several at one place, the one created last
 */
export function inContext<Ranked extends Candidate>(
  candidates: readonly Ranked[],
  around: readonly Ranked[],
): Ranked[] {
  const found = new Map(around.flatMap((each) => (each.place ? [[placeKey(each.place), each] as const] : [])));
  const neighbours = (of: ChunkPlace) =>
    neighboursOf(of, WEIGHTS.length).flatMap(({ place, distance }) => {
      const neighbour = found.get(placeKey(place));
      return neighbour ? [{ neighbour, weight: WEIGHTS[distance - 1] ?? 0 }] : [];
    });
  const ranked = new Map(candidates.map((each) => [each.key, each]));
  for (const { place } of candidates) {
    if (place === undefined) continue;
    for (const { neighbour } of neighbours(place)) ranked.set(neighbour.key, neighbour);
  }
  return Array.from(ranked.values(), (each) => (each.place ? withWordsOf(each, neighbours(each.place)) : each));
}

function withWordsOf<Ranked extends Candidate>(
  own: Ranked,
  neighbours: readonly { neighbour: Occurrences; weight: number }[],
): Ranked {
  const times = [...own.times];
  let { words } = own;
  let weights = 1;
  for (const { neighbour, weight } of neighbours) {
    for (const [index, number] of neighbour.times.entries()) times[index] = (times[index] ?? 0) + weight * number;
    words += weight * neighbour.words;
    weights += weight;
  }
  return { ...own, times, words: words / weights };
}

function neighboursOf({ subject, chunk }: ChunkPlace, reach: number): { place: ChunkPlace; distance: number }[] {
  const { documentId, chunkIndex } = parseChunkIdentity(chunk);
  const neighbours: { place: ChunkPlace; distance: number }[] = [];
  for (let distance = 1; distance <= reach; distance += 1) {
    for (const index of [chunkIndex - distance, chunkIndex + distance]) {
      if (index >= 0) neighbours.push({ place: { subject, chunk: chunkAt(documentId, index) }, distance });
    }
  }
  return neighbours;
}

/** Returns a string that identifies the place. */
export function placeKey({ subject, chunk }: ChunkPlace): string {
  return JSON.stringify([subject, chunk]);
}
