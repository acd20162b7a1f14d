import type { Erasure } from '../domain/memory/erasure.js';
import type { SubjectKey } from '../domain/memory/memory.js';

/** Reads committed erasures. */
export interface ErasureStore {
  /** Returns undefined for unknown and malformed ids. */
  find(organizationId: string, id: string): Promise<Erasure | undefined>;
}

/** Reads and writes of an erasure in one unit of work. */
export interface ErasureUnit {
  find(id: string): Promise<Erasure | undefined>;
  findRunning(subjectKey: SubjectKey): Promise<Erasure | undefined>;
  /** Inserts an erasure, or replaces its former state. */
  save(erasure: Erasure): Promise<void>;

  /**
   * Removes at most `limit` versions of a memory or of a subject.
   *
   * @returns for each removed version, the id of its memory
   */
  removeVersions(of: { memoryId: string } | { subjectKey: SubjectKey }, limit: number): Promise<string[]>;
  /** Empties the metadata of the audit events of a memory, and returns how many events had metadata. */
  emptyAuditMetadata(memoryId: string): Promise<number>;
  /** Counts the outbound deliveries about a memory. */
  countDeliveries(memoryId: string): Promise<number>;
}
