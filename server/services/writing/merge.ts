import { chunkIdentity, placeOf } from '../../domain/documents/chunk.js';
import { type GivenDedupe, withDedupe } from '../../domain/memory/distinct.js';
import { type GivenExpiry, withExpiry } from '../../domain/memory/expiry.js';
import type { Dedupe, Memory, Metadata, Outcome, Written } from '../../domain/memory/memory.js';
import { mergeMetadata, sameMetadata } from '../../domain/memory/metadata.js';
import { isWithin, type Within } from '../../domain/memory/within.js';
import { hashContent } from '../../domain/text/content.js';
import { ConflictError } from '../../errors.js';
import type { Indexed, UnitOfWork } from '../../ports/unit-of-work.js';
import type { IngestMeter } from '../billing/ingest-meter.js';

/** Values that a write adds to the memory that it repeats. */
export interface Incoming {
  metadata: Metadata;
  expiresAt?: GivenExpiry;
  dedupe?: GivenDedupe;
}

/** The external key and scope that a memory without a key gets. */
export type NewKey = Required<Pick<Memory, 'externalKey'>> & Pick<Memory, 'scope'>;

interface Merge {
  memory: Memory;
  incoming: Incoming;
  /** True if it counts against the monthly cap of ingests. */
  isCounted: boolean;
  /** Set on the memory too. */
  key?: NewKey | undefined;
  result: { outcome: Outcome; dedupe?: Dedupe };
}

/**
 * Merges a write into the memory that it repeats. A write that changes nothing leaves the memory untouched.
 *
 * @throws {QuotaExceededError}
 * @throws {StorageExceededError}
 * @throws {ConflictError} if it makes the memory equal to another active one: a chunk that exists, or not distinct
 */
export async function mergeInto(
  unit: UnitOfWork,
  meter: IngestMeter,
  { memory, incoming, isCounted, key, result }: Merge,
): Promise<Written> {
  const metadata = mergeMetadata(memory.metadata, incoming.metadata);
  const next = withDedupe(withExpiry({ ...memory, ...key, metadata }, incoming.expiresAt), incoming.dedupe);
  const isSameKind = key === undefined && next.distinct === memory.distinct;
  const isSame = isSameKind && next.expiresAt === memory.expiresAt && sameMetadata(memory.metadata, metadata);
  if (!isSame) await meter.storage.assertRoom(memory, next);
  if (isCounted) await meter.count();
  if (isSame) return { memory, ...result, untouched: true };

  if (chunkIdentity(metadata) !== chunkIdentity(memory.metadata) || next.distinct !== memory.distinct) {
    await assertNotTaken(unit, next, { contentHash: hashContent(memory.content) }, memory.id);
  }
  const merged = { ...next, updatedAt: await unit.tick() };
  await unit.update(merged);
  return { memory: merged, ...result };
}

/**
 * @param next the memory as it will be
 * @throws {ConflictError} `content_conflict` if another active memory of its place has the content, unless one of the two
 * is distinct
 */
export async function assertNotTaken(
  unit: UnitOfWork,
  next: Pick<Memory, 'metadata' | 'subjectKey' | 'distinct'>,
  { contentHash }: Pick<Indexed, 'contentHash'>,
  own: string | undefined,
): Promise<void> {
  if (next.distinct) return;
  const holder = await unit.findActiveByContent(placeOf(next), contentHash);
  if (!holder || holder.id === own) return;
  throw contentConflict(holder);
}

/**
 * Rejects a write that is bound to other memories than the one that it would change.
 *
 * @throws {ConflictError} `content_conflict`
 */
export function assertWithin(memory: Memory, within: Within | undefined): void {
  if (isWithin(memory, within)) return;
  throw new ConflictError(
    'content_conflict',
    'A memory outside of what this request is bound to has this content or key',
    memory.id,
  );
}

/** Returns the error for a write whose content another memory has. */
export function contentConflict(holder: Memory): ConflictError {
  return new ConflictError('content_conflict', 'Another memory has exactly this content', holder.id);
}
