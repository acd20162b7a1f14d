import { type GivenExpiry, withExpiry } from '../../domain/memory/expiry.js';
import type { Dedupe, Memory, Metadata, Outcome, Written } from '../../domain/memory/memory.js';
import { mergeMetadata, sameMetadata } from '../../domain/memory/metadata.js';
import type { UnitOfWork } from '../../ports/store.js';

/** What a write adds to the memory that it repeats. */
interface Incoming {
  metadata: Metadata;
  expiresAt?: GivenExpiry;
}

/** Folds a write into the memory that it repeats. What changes nothing leaves the memory untouched. */
export async function mergeInto(
  unit: UnitOfWork,
  memory: Memory,
  incoming: Incoming,
  result: { outcome: Outcome; dedupe?: Dedupe },
): Promise<Written> {
  const metadata = mergeMetadata(memory.metadata, incoming.metadata);
  const next = withExpiry({ ...memory, metadata }, incoming.expiresAt);
  if (sameMetadata(memory.metadata, metadata) && next.expiresAt === memory.expiresAt) {
    return { memory, ...result, untouched: true };
  }

  const merged = { ...next, updatedAt: await unit.tick() };
  await unit.update(merged);
  return { memory: merged, ...result };
}
