import type { Dedupe, Memory, Metadata, Outcome, Written } from '../../domain/memory/memory.js';
import { mergeMetadata, sameMetadata } from '../../domain/memory/metadata.js';
import type { UnitOfWork } from '../../ports/store.js';

/** Folds a write into the memory that it repeats. Metadata that changes nothing leaves the memory untouched. */
export async function mergeInto(
  unit: UnitOfWork,
  memory: Memory,
  incoming: Metadata,
  result: { outcome: Outcome; dedupe?: Dedupe },
): Promise<Written> {
  const metadata = mergeMetadata(memory.metadata, incoming);
  if (sameMetadata(memory.metadata, metadata)) return { memory, ...result, untouched: true };

  const merged = { ...memory, metadata, updatedAt: await unit.tick() };
  await unit.update(merged);
  return { memory: merged, ...result };
}
