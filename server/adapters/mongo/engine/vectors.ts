import { Binary } from 'mongodb';
import { clip } from '../../../domain/retrieval/similarity.js';
import type { Embedding, MemoryDocument, OrganizationDocument } from './collections.js';

/**
 * A place for a vector in the document of a memory. An organization searches one slot. While it is re-embedded, the
 * pending vectors are in the other.
 */
export interface VectorSlot {
  name: 'first' | 'second';
  /** Suffix of the names of vector fields and vector indexes. */
  suffix: '' | 'b';
  /** Field of the fingerprint of the vector's embedder. */
  fingerprint: 'fingerprint' | 'fingerprintB';
  /** Field of the wall-clock time of the last change that the vector index of the slot must learn. */
  indexedAt: 'indexedAt' | 'indexedAtB';
}

export const FIRST_SLOT: VectorSlot = {
  name: 'first',
  suffix: '',
  fingerprint: 'fingerprint',
  indexedAt: 'indexedAt',
};
export const SECOND_SLOT: VectorSlot = {
  name: 'second',
  suffix: 'b',
  fingerprint: 'fingerprintB',
  indexedAt: 'indexedAtB',
};
export const SLOTS = [FIRST_SLOT, SECOND_SLOT] as const;

/** Returns the searched slot of an organization. */
export function searchedSlot({ vectorSlot }: Pick<OrganizationDocument, 'vectorSlot'>): VectorSlot {
  return vectorSlot === 'second' ? SECOND_SLOT : FIRST_SLOT;
}

export function otherSlot({ name }: VectorSlot): VectorSlot {
  return name === 'first' ? SECOND_SLOT : FIRST_SLOT;
}

/** Returns the field of vectors of a size, within `embedding`. */
export function fieldOf(dimensions: number, { suffix }: VectorSlot): string {
  return `d${dimensions}${suffix}`;
}

export function toEmbedding(vector: Float32Array, slot: VectorSlot): Embedding {
  return { [fieldOf(vector.length, slot)]: Binary.fromFloat32Array(vector) };
}

export function fromEmbedding(embedding: Embedding, dimensions: number, slot: VectorSlot): Float32Array | undefined {
  return toVector(embedding[fieldOf(dimensions, slot)]);
}

/** Returns the fields within `embedding` that belong to a slot. */
export function fieldsOf(embedding: Embedding, { suffix }: VectorSlot): string[] {
  return Object.keys(embedding).filter((field) => field.endsWith('b') === (suffix === 'b'));
}

/** Returns the vector in a slot, of whatever size. */
export function vectorIn(embedding: Embedding, slot: VectorSlot): Float32Array | undefined {
  const [field] = fieldsOf(embedding, slot);
  return field === undefined ? undefined : toVector(embedding[field]);
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
  slot: VectorSlot,
): number | undefined {
  const stored = fromEmbedding(embedding, vector.length, slot);
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
