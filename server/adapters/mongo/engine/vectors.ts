import { Binary } from 'mongodb';
import { clip } from '../../../domain/retrieval/similarity.js';
import type { Embedding, MemoryDocument } from './collections.js';

/** The field of vectors of so many dimensions, within `embedding`. */
export function fieldOf(dimensions: number): string {
  return `d${dimensions}`;
}

export function toEmbedding(vector: Float32Array): Embedding {
  return { [fieldOf(vector.length)]: Binary.fromFloat32Array(vector) };
}

export function fromEmbedding(embedding: Embedding, dimensions: number): Float32Array | undefined {
  return toVector(embedding[fieldOf(dimensions)]);
}

/** The vector of a memory, which has one at a time. */
export function soleVector(embedding: Embedding): Float32Array | undefined {
  return toVector(Object.values(embedding)[0]);
}

/** Some engines give a vector back as a plain array. */
function toVector(stored: Embedding[string] | undefined): Float32Array | undefined {
  if (stored === undefined) return undefined;
  return Array.isArray(stored) ? Float32Array.from(stored) : stored.toFloat32Array();
}

/** Cosine of a stored vector and one of unit length, clipped to [0, 1]; undefined where their sizes differ. */
export function similarityTo(
  vector: Float32Array,
  { embedding }: Pick<MemoryDocument, 'embedding'>,
): number | undefined {
  const stored = fromEmbedding(embedding, vector.length);
  return stored && similarityBetween(vector, stored);
}

/** Cosine of two vectors of unit length and one size, clipped to [0, 1]. */
export function similarityBetween(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  // A search may look at thousands of vectors: a callback for each component would take ten times as long.
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return clip(sum);
}

/** A cosine from the score that Vector Search gives to it, (1 + cosine) / 2, clipped to [0, 1]. */
export function similarityOfScore(score: number): number {
  return clip(2 * score - 1);
}
