import type { MemoryVersion } from '../domain/memory/version.js';
import type { PageQuery } from '../domain/page.js';

/**
 * Committed versions of memories. `UnitOfWork.update` keeps them: in the same transaction it stores what it replaces
 * and removes versions beyond `keptVersions` of the settings. `UnitOfWork.insertVersion` stores those of elsewhere.
 */
export interface VersionStore {
  /** The newest first. A position is the `replacedAt` of a version and the id of its memory. */
  list(organizationId: string, memoryId: string, page: PageQuery): Promise<MemoryVersion[]>;

  /** Those of all memories: the highest memory id first, the versions of one memory by number. Positions are as in `list`. */
  listAll(organizationId: string, page: PageQuery): Promise<MemoryVersion[]>;

  /** Undefined for unknown numbers and for ids of memories that are unknown, foreign or malformed. */
  find(organizationId: string, memoryId: string, number: number): Promise<MemoryVersion | undefined>;
}
