import type { BatchItem } from '../generated/types.gen.js';
import type { MemoryRecord } from './record.js';
import { refused } from './refusal.js';

/** The external key and scope that identify a memory. */
export type Identity = Pick<MemoryRecord, 'externalKey' | 'scope'>;

export function identityOf({ externalKey, scope }: BatchItem): Identity {
  return { externalKey, scope: { source: scope?.source ?? '', project: scope?.project ?? '' } };
}

export function isSame(record: MemoryRecord, { externalKey, scope }: Identity): boolean {
  return (
    record.externalKey === externalKey && record.scope.source === scope.source && record.scope.project === scope.project
  );
}

export type Placed = Pick<BatchItem, 'subjectKey' | 'metadata'> & Pick<MemoryRecord, 'distinct'>;

/** Returns the `distinct` of a memory after a write. An absent `dedupe` keeps what the memory is. */
export function distinctOf({ dedupe }: Pick<BatchItem, 'dedupe'>, record?: MemoryRecord): true | undefined {
  return (dedupe === undefined ? record?.distinct : dedupe === 'off') || undefined;
}

/** Compares places: equal contents of different subjects or chunks are different memories, and so are distinct ones. */
export function isSamePlace(record: MemoryRecord, { subjectKey, metadata, distinct }: Placed): boolean {
  if (record.distinct || distinct) return false;
  return record.subjectKey === subjectKey && chunkOf(record.metadata) === chunkOf(metadata);
}

/**
 * Returns the key for a memory without one, from a write of equal content.
 *
 * @throws {Refusal} 409 if it already has another key
 */
export function keyToSet(equal: MemoryRecord, identity: Identity): Partial<Identity> {
  if (identity.externalKey === undefined) return {};
  if (equal.externalKey !== undefined) throw contentConflict(equal);
  return identity;
}

/** Identifies the chunk of a memory, since equal contents may be different chunks of a document. */
function chunkOf({ documentId, chunkIndex }: Record<string, unknown> = {}): string {
  return JSON.stringify([documentId, chunkIndex]);
}

export function contentConflict({ id }: MemoryRecord) {
  return refused(409, 'content_conflict', 'another memory has this content', { id });
}
