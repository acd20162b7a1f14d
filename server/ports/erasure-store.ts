import type { Erasure } from '../domain/memory/erasure.js';
import type { SubjectKey } from '../domain/memory/memory.js';

/** Committed erasures. */
export interface ErasureStore {
  /** Undefined for malformed ids too. */
  find(organizationId: string, id: string): Promise<Erasure | undefined>;
}

/** What an erasure reads and removes in one unit of work. */
export interface ErasureUnit {
  find(id: string): Promise<Erasure | undefined>;
  /** The running erasure of a subject. */
  findRunning(subjectKey: SubjectKey): Promise<Erasure | undefined>;
  /** Stores an erasure, in place of its former state if there is one. */
  save(erasure: Erasure): Promise<void>;

  /**
   * Removes at most `limit` versions of a memory, or versions about a subject.
   *
   * @returns the id of the memory of each
   */
  removeVersions(of: { memoryId: string } | { subjectKey: SubjectKey }, limit: number): Promise<string[]>;
  /** Empties the metadata of the audit events of a memory, and returns how many had any. */
  emptyAuditMetadata(memoryId: string): Promise<number>;
  /** How many outbound deliveries a memory has. */
  countDeliveries(memoryId: string): Promise<number>;
}
