import type { Microseconds } from '../domain/timestamp.js';

/** An organization that was deleted and whose data is being removed. */
export interface OrganizationDeletion {
  organizationId: string;
  deletedAt: Microseconds;
}

/** Removes the data of organizations that `AccountUnit.deleteOrganization` deleted. */
export interface DeletionStore {
  /** Returns the deletions that have not ended, the earliest first. */
  list(): Promise<OrganizationDeletion[]>;
  /**
   * Removes a part of an organization's data, in a step that is short for other organizations. It may run at the same
   * time in several processes.
   *
   * @param limit number of memories, or of other rows
   * @returns false if nothing was left to remove
   */
  removeSome(organizationId: string, limit: number): Promise<boolean>;
  /** Ends a deletion, after which nothing names the organization. Does nothing if it has ended. */
  end(organizationId: string): Promise<void>;
}
