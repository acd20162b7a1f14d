import { clip } from '../../../../domain/retrieval/similarity.js';
import type { ComparedVector } from '../../../../ports/memory-reader.js';
import { EmbedderReplacedError } from '../../../../ports/store-errors.js';
import type { Connection } from '../../engine/connection.js';
import { readState } from '../../engine/organizations.js';
import { KeyedStatement } from '../../engine/statements/keyed-statement.js';
import { dotProduct, fromBlob } from '../vectors.js';

/** Maximum number of vectors in memory while similarities are computed. */
const MAX_VECTORS_READ = 256;

interface VectorRow {
  key: number;
  embedding: Uint8Array;
}

const BY_KEY = new KeyedStatement<VectorRow>(
  (keys) => `SELECT v.seq AS key, v.embedding FROM ${keys} k CROSS JOIN vectors v ON v.seq = k.column1`,
);

/**
 * Calls `put` with the exact similarity of each memory that has a vector, clipped to [0, 1].
 *
 * @param side sign of the keys of the searched vectors
 */
export function eachSimilarity(
  connection: Connection,
  { seqs, side, vector }: { seqs: readonly number[]; side: number; vector: Float32Array },
  put: (seq: number, similarity: number) => void,
): void {
  for (let at = 0; at < seqs.length; at += MAX_VECTORS_READ) {
    const keys = seqs.slice(at, at + MAX_VECTORS_READ).map((seq) => seq * side);
    for (const { key, embedding } of BY_KEY.all(connection, keys)) {
      put(key * side, clip(dotProduct(fromBlob(embedding), vector)));
    }
  }
}

/**
 * Returns the similarity of memories to a vector, by their seqs.
 *
 * @throws {EmbedderReplacedError} if the vector is of another embedder than that of the settings
 */
export function similaritiesTo(
  connection: Connection,
  org: number,
  seqs: readonly number[],
  { vector, fingerprint }: ComparedVector,
): Map<number, number> {
  const similarities = new Map<number, number>();
  const state = readState(connection, org);
  const searched = state?.settings.embeddingFingerprint;
  if (!state || searched === undefined) return similarities;
  if (fingerprint !== undefined && fingerprint !== searched) {
    throw new EmbedderReplacedError(`the memories are embedded with ${searched}`);
  }
  const compared = { seqs, side: state.vectorSide, vector };
  eachSimilarity(connection, compared, (seq, similarity) => similarities.set(seq, similarity));
  return similarities;
}
