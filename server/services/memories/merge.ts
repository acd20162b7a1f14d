import type { Dedupe, Memory, Metadata, Outcome, Written } from '../../domain/memory/memory.js';
import { mergeMetadata, sameMetadata } from '../../domain/memory/metadata.js';
import type { UnitOfWork } from '../../ports/store.js';
import type { IngestMeter } from '../billing/ingest-meter.js';

/** The identity that a memory without an external key gets. */
export type NewKey = Required<Pick<Memory, 'externalKey'>> & Pick<Memory, 'scope'>;

interface Merge {
  memory: Memory;
  incoming: Metadata;
  /** Whether it counts against the monthly cap of ingests. */
  isCounted: boolean;
  /** Set on the memory as well. */
  key?: NewKey | undefined;
  result: { outcome: Outcome; dedupe?: Dedupe };
}

/**
 * Folds a write into the memory that it repeats. Metadata that changes nothing leaves the memory untouched.
 *
 * @throws {QuotaExceededError}
 * @throws {StorageExceededError}
 */
export async function mergeInto(
  unit: UnitOfWork,
  meter: IngestMeter,
  { memory, incoming, isCounted, key, result }: Merge,
): Promise<Written> {
  const metadata = mergeMetadata(memory.metadata, incoming);
  const isSame = key === undefined && sameMetadata(memory.metadata, metadata);
  if (!isSame) await meter.storage.assertRoom(memory, { ...memory, metadata });
  if (isCounted) await meter.count();
  if (isSame) return { memory, ...result, untouched: true };

  const merged = { ...memory, ...key, metadata, updatedAt: await unit.tick() };
  await unit.update(merged);
  return { memory: merged, ...result };
}
