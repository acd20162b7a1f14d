import { Binary } from 'mongodb';
import { clip } from '../../../domain/retrieval/similarity.js';
import type { Embedding, MemoryDocument } from './collections.js';

/** Returns the field of vectors of a size, within `embedding`. */
export function fieldOf(dimensions: number): string {
  return `d${dimensions}`;
}

export function toEmbedding(vector: Float32Array): Embedding {
  return { [fieldOf(vector.length)]: Binary.fromFloat32Array(vector) };
}

export function fromEmbedding(embedding: Embedding, dimensions: number): Float32Array | undefined {
  return toVector(embedding[fieldOf(dimensions)]);
}

/** Returns the only vector of a memory. */
export function soleVector(embedding: Embedding): Float32Array | undefined {
  return toVector(Object.values(embedding)[0]);
}

/** Reads a stored vector, which some engines return as a plain array. */
function toVector(stored: Embedding[string] | undefined): Float32Array | undefined {
  if (stored === undefined) return undefined;
  return Array.isArray(stored) ? Float32Array.from(stored) : stored.toFloat32Array();
}

/** Returns the cosine of a stored and a unit vector, clipped to [0, 1], or undefined if their sizes differ. */
export function similarityTo(
  vector: Float32Array,
  { embedding }: Pick<MemoryDocument, 'embedding'>,
): number | undefined {
  const stored = fromEmbedding(embedding, vector.length);
  return stored && similarityBetween(vector, stored);
}

/** Returns the cosine of two vectors of unit length and equal size, clipped to [0, 1]. */
export function similarityBetween(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  // A loop, since a search may compare thousands of vectors and a callback per component takes ten times as long.
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return clip(sum);
}

/** Returns the cosine for a score of Vector Search, (1 + cosine) / 2, clipped to [0, 1]. */
export function similarityOfScore(score: number): number {
  return clip(2 * score - 1);
}
