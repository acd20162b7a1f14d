import { hash } from 'node:crypto';
import type { Microseconds } from '../timestamp.js';
import type { SubjectKey } from './memory.js';

/**
 * `running` while the data of the subject is removed; writes about the subject are rejected. `cleaning` while the store
 * erases the remains from its files; writes are accepted again. `failed` if it ended early: request it again.
 */
export type ErasureStatus = 'running' | 'cleaning' | 'done' | 'failed';

/** Numbers of removed items. */
export interface ErasureCounts {
  /** Memories, soft-deleted or not, with their vectors and words. */
  memories: number;
  versions: number;
  /** Outbound deliveries in any state. */
  deliveries: number;
  /** Audit events whose metadata was emptied. */
  auditEvents: number;
  /** Memories in queued inbound deliveries. */
  inboundMemories: number;
}

/** The removal of all data about one subject. When it is done, it is a receipt that does not name the subject. */
export interface Erasure {
  /** UUID. */
  id: string;
  status: ErasureStatus;
  /** Present only while `running`. */
  subjectKey?: SubjectKey;
  requestedAt: Microseconds;
  finishedAt?: Microseconds;
  counts: ErasureCounts;
  /** Digest of the removed ids, see `extendDigest`. */
  digest: string;
}

export const NOTHING_ERASED: ErasureCounts = {
  memories: 0,
  versions: 0,
  deliveries: 0,
  auditEvents: 0,
  inboundMemories: 0,
};

/** Digest before the first memory: SHA-256 of the empty text, hex. */
export const FIRST_DIGEST = hash('sha256', '', 'hex');

/** Adds a memory to a digest: SHA-256 of the former digest and the id, both as text. */
export function extendDigest(digest: string, memoryId: string): string {
  return hash('sha256', digest + memoryId, 'hex');
}

export function addCounts(counts: ErasureCounts, more: Partial<ErasureCounts>): ErasureCounts {
  const sum = { ...counts };
  for (const [kind, count = 0] of Object.entries(more)) sum[kind as keyof ErasureCounts] += count;
  return sum;
}
