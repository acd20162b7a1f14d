import type { Microseconds } from '../timestamp.js';
import type { Memory, Metadata, SubjectKey } from './memory.js';
import { sameMetadata } from './metadata.js';

/** What a memory was until a change replaced it. */
export interface MemoryVersion {
  memoryId: string;
  /** Counts the replaced states of its memory, from 1. */
  number: number;
  content: string;
  metadata: Metadata;
  subjectKey?: SubjectKey;
  /** `updatedAt` of the memory in this state. */
  updatedAt: Microseconds;
  /** `updatedAt` of the change that replaced it. Two versions of a memory never share it. */
  replacedAt: Microseconds;
}

/** Versions of a memory that are kept unless the organization sets another number. */
export const KEPT_VERSIONS = 10;

/** Whether a change replaces a part of a memory that a version holds. Deletion does not. */
export function replacesState(before: Memory, after: Memory): boolean {
  return (
    before.content !== after.content ||
    before.subjectKey !== after.subjectKey ||
    !sameMetadata(before.metadata, after.metadata)
  );
}
