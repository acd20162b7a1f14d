import type { ClientSession } from 'mongodb';
import type { SimilarSpace } from './similar.js';
import { fieldOf, fromEmbedding, similarityBetween } from './vectors.js';

/**
 * The vectors that the search index may not know yet, as a unit of work sees
 * them: read once, however many vectors the unit looks for, and kept up with
 * what it writes. Nobody else writes while it holds its organization.
 */
export class UnsettledVectors {
  readonly #vectors = new Map<string, Float32Array>();
  /** Memories that changed, but not in their vector. */
  readonly #touched = new Set<string>();
  /** Sizes that were read. */
  readonly #read = new Set<number>();

  /** Notes the vector of a memory that the unit wrote. */
  put(id: string, vector: Float32Array): void {
    this.#vectors.set(id, vector);
  }

  /** Notes that the unit changed a memory whose vector is not at hand. */
  touch(id: string): void {
    this.#touched.add(id);
  }

  /** Ids of those that may be at least so similar, whatever else they are. */
  async similarTo(
    vector: Float32Array,
    atLeast: number,
    space: SimilarSpace,
    session: ClientSession,
  ): Promise<string[]> {
    if (!this.#read.has(vector.length)) await this.#readAll(vector.length, space, session);
    const similar = [...this.#vectors].filter(([, stored]) => similarityBetween(vector, stored) >= atLeast);
    return [...this.#touched, ...similar.map(([id]) => id)];
  }

  async #readAll(
    dimensions: number,
    { memories, organizationId, isIndexed, settledBefore }: SimilarSpace,
    session: ClientSession,
  ): Promise<void> {
    const unsettled = { org: organizationId, ...(isIndexed && { indexedAt: { $gte: settledBefore } }) };
    const projection = { [`embedding.${fieldOf(dimensions)}`]: 1 };
    for await (const { _id, embedding } of memories.find(unsettled, { session, projection })) {
      const stored = embedding && fromEmbedding(embedding, dimensions);
      if (stored && !this.#vectors.has(_id)) this.#vectors.set(_id, stored);
    }
    this.#read.add(dimensions);
  }
}
