import type { MemoryVersion } from '../domain/memory/version.js';
import type { PageQuery } from '../domain/page.js';

/**
 * Reads committed versions of memories. `UnitOfWork.update` stores the replaced state as a version and removes versions
 * beyond `keptVersions` of the settings. `UnitOfWork.insertVersion` stores versions from an archive.
 */
export interface VersionStore {
  /** Lists versions, the newest first. A position is the `replacedAt` of a version and the id of its memory. */
  list(organizationId: string, memoryId: string, page: PageQuery): Promise<MemoryVersion[]>;

  /** Lists the versions of all memories, by memory id descending and then number. Positions are as in `list`. */
  listAll(organizationId: string, page: PageQuery): Promise<MemoryVersion[]>;

  /** Returns undefined for unknown numbers, and for ids that are malformed, unknown or of another organization. */
  find(organizationId: string, memoryId: string, number: number): Promise<MemoryVersion | undefined>;
}
