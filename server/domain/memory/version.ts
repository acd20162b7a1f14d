import type { Microseconds } from '../timestamp.js';
import type { Memory, Metadata, SubjectKey } from './memory.js';
import { sameMetadata } from './metadata.js';

/** The state of a memory before a change. */
export interface MemoryVersion {
  memoryId: string;
  /** Number of this version of its memory, from 1. */
  number: number;
  content: string;
  metadata: Metadata;
  subjectKey?: SubjectKey;
  /** `updatedAt` of the memory in this state. */
  updatedAt: Microseconds;
  /** `updatedAt` of the change that replaced it. It is unique among the versions of a memory. */
  replacedAt: Microseconds;
}

/** Default number of versions that are kept of a memory. */
export const KEPT_VERSIONS = 10;

/** Reports if a change replaces data that a version contains. Deletion does not. */
export function replacesState(before: Memory, after: Memory): boolean {
  return (
    before.content !== after.content ||
    before.subjectKey !== after.subjectKey ||
    !sameMetadata(before.metadata, after.metadata)
  );
}
