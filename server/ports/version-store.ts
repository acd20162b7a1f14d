import type { MemoryVersion } from '../domain/memory/version.js';
import type { PageQuery } from '../domain/page.js';

/**
 * Committed versions of memories. `UnitOfWork.update` keeps them: in the same transaction it stores what it replaces
 * and removes versions beyond `keptVersions` of the settings.
 */
export interface VersionStore {
  /** The newest first. A position is the `replacedAt` of a version and the id of its memory. */
  list(organizationId: string, memoryId: string, page: PageQuery): Promise<MemoryVersion[]>;

  /** Undefined for unknown numbers and for ids of memories that are unknown, foreign or malformed. */
  find(organizationId: string, memoryId: string, number: number): Promise<MemoryVersion | undefined>;
}
