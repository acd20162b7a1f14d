import { chunkIdentity, type Place, placeOf } from '../../domain/memory/chunk.js';
import { hashContent } from '../../domain/memory/content.js';
import type { Dedupe, Memory, Metadata, Outcome, Written } from '../../domain/memory/memory.js';
import { mergeMetadata, sameMetadata } from '../../domain/memory/metadata.js';
import { ConflictError } from '../../errors.js';
import type { Indexed, UnitOfWork } from '../../ports/store.js';

/**
 * Folds a write into the memory that it repeats. Metadata that changes nothing leaves the memory untouched.
 *
 * @throws {ConflictError} when the metadata make it a chunk that another active memory is already
 */
export async function mergeInto(
  unit: UnitOfWork,
  memory: Memory,
  incoming: Metadata,
  result: { outcome: Outcome; dedupe?: Dedupe },
): Promise<Written> {
  const metadata = mergeMetadata(memory.metadata, incoming);
  if (sameMetadata(memory.metadata, metadata)) return { memory, ...result, untouched: true };

  const moved = { ...memory, metadata };
  if (chunkIdentity(metadata) !== chunkIdentity(memory.metadata)) {
    await assertNotTaken(unit, placeOf(moved), { contentHash: hashContent(memory.content) }, memory.id);
  }
  const merged = { ...moved, updatedAt: await unit.tick() };
  await unit.update(merged);
  return { memory: merged, ...result };
}

/** @throws {ConflictError} `content_conflict` when another active memory of the place than `own` has the content */
export async function assertNotTaken(
  unit: UnitOfWork,
  place: Place,
  { contentHash }: Pick<Indexed, 'contentHash'>,
  own: string | undefined,
): Promise<void> {
  const holder = await unit.findActiveByContent(place, contentHash);
  if (!holder || holder.id === own) return;
  throw new ConflictError('content_conflict', 'Another memory has exactly this content', holder.id);
}
