import type { EmbeddingPurpose } from '../../ports/embedder.js';
import { Projection } from './local-projection.js';
import { extractTerms } from './local-terms.js';

const projections = new Map<number, Projection>();

/** The vector of a text. The work is linear in its length. */
export function embedText(text: string, purpose: EmbeddingPurpose, dimensions: number): Float32Array {
  let projection = projections.get(dimensions);
  if (!projection) {
    projection = new Projection(dimensions);
    projections.set(dimensions, projection);
  }
  return projection.project(extractTerms(text), purpose);
}
