import type { ComparedVector } from '../../../ports/memory-reader.js';
import { EmbedderReplacedError } from '../../../ports/store-errors.js';
import type { Collections, MemoryDocument, OrganizationDocument } from '../engine/collections.js';
import { documentIdsOf, idOf } from '../engine/memory-documents.js';
import type { ReadOptions } from '../engine/read-options.js';
import { fieldOf, searchedSlot, similarityTo } from '../engine/vectors.js';

type Searched = Pick<OrganizationDocument, '_id' | 'settings' | 'vectorSlot'>;

/** @throws {EmbedderReplacedError} if the vector is of another embedder than that of the settings */
export function assertComparable({ settings }: Searched, { fingerprint }: ComparedVector): void {
  const searched = settings.embeddingFingerprint;
  if (fingerprint !== undefined && searched !== undefined && fingerprint !== searched) {
    throw new EmbedderReplacedError(`the memories are embedded with ${searched}`);
  }
}

/** Returns the similarity of memories to a vector, by their ids. Memories without a vector of the embedder have none. */
export async function similaritiesTo(
  memories: Collections['memories'],
  organization: Searched,
  ids: readonly string[],
  { vector }: ComparedVector,
  options: ReadOptions,
): Promise<Map<string, number>> {
  const searched = organization.settings.embeddingFingerprint;
  if (searched === undefined || ids.length === 0) return new Map();
  const slot = searchedSlot(organization);
  const filter = {
    org: organization._id,
    _id: { $in: ids.flatMap((id) => documentIdsOf(organization._id, id)) },
    [slot.fingerprint]: searched,
  };
  const projection = { [`embedding.${fieldOf(vector.length, slot)}`]: 1 };
  const found = await memories
    .find<Pick<MemoryDocument, '_id' | 'embedding'>>(filter, { projection, batchSize: ids.length + 1, ...options })
    .toArray();
  return new Map(found.map((document) => [idOf(document._id), similarityTo(vector, document, slot) ?? 0]));
}
