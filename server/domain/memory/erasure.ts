import { hash } from 'node:crypto';
import type { Microseconds } from '../timestamp.js';
import type { SubjectKey } from './memory.js';

/**
 * `running` while what is about the subject is removed, and nothing new about it is stored. `cleaning` while the store
 * makes sure that nothing of it can be read from its files; new memories about the subject are stored again. `failed`
 * if it was given up: ask for it again.
 */
export type ErasureStatus = 'running' | 'cleaning' | 'done' | 'failed';

/** What an erasure has removed. */
export interface ErasureCounts {
  /** With their vectors and words, soft-deleted ones included. */
  memories: number;
  versions: number;
  /** Outbound deliveries, waiting or done. */
  deliveries: number;
  /** Audit events whose metadata was emptied. */
  auditEvents: number;
  /** Memories in inbound deliveries that waited. */
  inboundMemories: number;
}

/** The removal of everything about one subject. Once that is done, it is the receipt, which does not name the subject. */
export interface Erasure {
  /** UUID. */
  id: string;
  status: ErasureStatus;
  /** Present only while `running`. */
  subjectKey?: SubjectKey;
  requestedAt: Microseconds;
  finishedAt?: Microseconds;
  counts: ErasureCounts;
  /** See `extendDigest`. */
  digest: string;
}

export const NOTHING_ERASED: ErasureCounts = {
  memories: 0,
  versions: 0,
  deliveries: 0,
  auditEvents: 0,
  inboundMemories: 0,
};

/** The digest of no memory: SHA-256 of the empty text, hex. */
export const FIRST_DIGEST = hash('sha256', '', 'hex');

/** The digest with one more memory: SHA-256 of the digest before it and the id, both as text. */
export function extendDigest(digest: string, memoryId: string): string {
  return hash('sha256', digest + memoryId, 'hex');
}

export function addCounts(counts: ErasureCounts, more: Partial<ErasureCounts>): ErasureCounts {
  const sum = { ...counts };
  for (const [kind, count = 0] of Object.entries(more)) sum[kind as keyof ErasureCounts] += count;
  return sum;
}
