import { type GivenExpiry, withExpiry } from '../../domain/memory/expiry.js';
import type { Dedupe, Memory, Metadata, Outcome, Written } from '../../domain/memory/memory.js';
import { mergeMetadata, sameMetadata } from '../../domain/memory/metadata.js';
import type { UnitOfWork } from '../../ports/store.js';
import type { IngestMeter } from '../billing/ingest-meter.js';

/** What a write adds to the memory that it repeats. */
export interface Incoming {
  metadata: Metadata;
  expiresAt?: GivenExpiry;
}

/** The identity that a memory without an external key gets. */
export type NewKey = Required<Pick<Memory, 'externalKey'>> & Pick<Memory, 'scope'>;

interface Merge {
  memory: Memory;
  incoming: Incoming;
  /** Whether it counts against the monthly cap of ingests. */
  isCounted: boolean;
  /** Set on the memory as well. */
  key?: NewKey | undefined;
  result: { outcome: Outcome; dedupe?: Dedupe };
}

/**
 * Folds a write into the memory that it repeats. What changes nothing leaves the memory untouched.
 *
 * @throws {QuotaExceededError}
 * @throws {StorageExceededError}
 */
export async function mergeInto(
  unit: UnitOfWork,
  meter: IngestMeter,
  { memory, incoming, isCounted, key, result }: Merge,
): Promise<Written> {
  const metadata = mergeMetadata(memory.metadata, incoming.metadata);
  const next = withExpiry({ ...memory, ...key, metadata }, incoming.expiresAt);
  const isSame = key === undefined && next.expiresAt === memory.expiresAt && sameMetadata(memory.metadata, metadata);
  if (!isSame) await meter.storage.assertRoom(memory, next);
  if (isCounted) await meter.count();
  if (isSame) return { memory, ...result, untouched: true };

  const merged = { ...next, updatedAt: await unit.tick() };
  await unit.update(merged);
  return { memory: merged, ...result };
}
